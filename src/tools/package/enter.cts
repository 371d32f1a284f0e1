/** Where the single executable goes on from its own file: a CommonJS module on disk, which may import others. */
void import('../../main.js');
