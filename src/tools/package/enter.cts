/** The second step of the single executable: a CommonJS module on disk, which may import other modules. */
void import('../../main.js');
