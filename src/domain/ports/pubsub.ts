/** How the instances reach each other: over the network, not at all because there is one, or not at the moment. */
export const PUBSUB_STATUSES = ['connected', 'embedded', 'disconnected'] as const;
export type PubsubStatus = (typeof PUBSUB_STATUSES)[number];
