/** The key of the draft of a card's description. */
export const descriptionKey = (cardId: string): string => `${cardId} description`;
