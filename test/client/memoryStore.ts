/** The store of changes in memory, whose writes can be made to fail. */
import { MemoryStore as ClientStore, type MemoryHolder } from '../../src/client/index.js';

export class MemoryStore extends ClientStore {
  /** Writing fails with it. */
  failure: Error | null = null;

  override open(): MemoryHolder {
    const holder = super.open();
    return {
      ...holder,
      put: async (userId, change) => {
        if (this.failure !== null) throw this.failure;
        await holder.put(userId, change);
      },
    };
  }
}
