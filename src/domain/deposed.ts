/** This process no longer owns the partition. `isStored`: whether the log has the commit that was under way. */
export class Deposed extends Error {
  readonly isStored: 'no' | 'unknown';

  constructor(isStored: 'no' | 'unknown') {
    super(isStored === 'no' ? 'another instance owns the partition' : 'the log did not say whether it has the commit');
    this.isStored = isStored;
  }
}
