/** A process that prepares a data folder as a starting service does, and prints the folder's id. */
import { prepareFolder } from '../../../src/store/folder/prepareFolder.js';

const [dataDir = '', shards = ''] = process.argv.slice(2);
const { id } = await prepareFolder({ dataDir, shards: Number(shards) });
process.stdout.write(`${id}\n`);
