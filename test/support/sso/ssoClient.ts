/** The service as a client of the providers in tests. */
export const CLIENT_ID = 'boards';
export const CLIENT_SECRET = 'the secret of the boards at the provider';
