/** A process whose store thread starts and stops again and again: each time its log appears in the folder, and goes. */
import { openThreadLog } from '../../../src/store/log/threadLog.js';

const [dataDir = '', times = ''] = process.argv.slice(2);
const onError = (error: unknown): never => {
  throw error;
};
for (let time = 0; time < Number(times); time += 1) openThreadLog({ dataDir, thread: 0, onError }).close();
