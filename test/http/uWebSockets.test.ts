/** Which binary of uWebSockets is loaded, and what is said where there is none. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { UnsupportedHost } from '../../src/domain/errors.js';
import { findBinary, loadUWebSockets, thisHost, type Host } from '../../src/http/uWebSockets.js';
import { packagePath } from '../../src/paths.js';
import { runProgram } from '../support/service/program.js';
import { temporaryFolder } from '../support/store/folder.js';

const ABIS = { 20: '115', 22: '127', 24: '137', 26: '147' } as const;

/**
 * The ids of these files in the official repository: `git ls-tree v20.49.0` for Node 20 and 22, `git ls-tree v20.64.0`
 * for Node 24.
 */
const OFFICIAL_BLOBS = {
  'uWebSockets.js/dist/bin/uws_linux_x64_115.node': '3323c142ab38416a2cfcde2a01b9a6a6e8da8d90',
  'uWebSockets.js/dist/bin/uws_linux_arm64_115.node': '0682ca460dd6c825441c5c766fb86caa7ba91854',
  'uWebSockets.js/dist/bin/uws_darwin_x64_115.node': 'fe40ab04b981605be9b104452349c1566bef99d0',
  'uWebSockets.js/dist/bin/uws_darwin_arm64_115.node': 'cdca9609cd34f87a08778447666394bd8ad03610',
  'uWebSockets.js/dist/bin/uws_linux_x64_127.node': '702d4bbe38c6e235621fbc666ad0ce273565fd9e',
  'uWebSockets.js/dist/bin/uws_linux_arm64_127.node': '947b038ffe8efe0acccdac9746dd2bc1e2e442db',
  'uWebSockets.js/dist/bin/uws_darwin_x64_127.node': '1b6845cf9c4bcfa435442ffaf07f6136377e85cf',
  'uWebSockets.js/dist/bin/uws_darwin_arm64_127.node': 'b97574c95eb6907aeb833b299c4716112be8e275',
  'uwebsockets/uws_linux_x64_137.node': '217a773841bbd49b412b53d7ad11937b9e99f627',
  'uwebsockets/uws_linux_arm64_137.node': '3fcb57df2de492cdf74e7fe82a91c81a136062b4',
} as const;

function hostOf(node: keyof typeof ABIS, other: Partial<Host> = {}): Host {
  return { ...thisHost(), platform: 'linux', arch: 'x64', node: `${node}.1.0`, abi: ABIS[node], ...other };
}

function messageOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof UnsupportedHost) return error.message;
    throw error;
  }
  return 'no error';
}

/** A folder of packages with one more binary. */
async function withBinary(t: Test, path: string): Promise<string> {
  const packages = await temporaryFolder(t);
  mkdirSync(dirname(join(packages, path)), { recursive: true });
  writeFileSync(join(packages, path), '');
  return packages;
}

t.test('DEPLOY18 every binary that is loaded is that of an official release', async (t) => {
  for (const [path, id] of Object.entries(OFFICIAL_BLOBS)) {
    const content = readFileSync(packagePath('node_modules', path));
    t.equal(createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex'), id, path);
  }
  const used = ([20, 22, 24] as const).flatMap((node) =>
    ['linux', 'darwin'].flatMap((platform) =>
      ['x64', 'arm64'].flatMap((arch) => {
        if (node === 24 && platform === 'darwin') return [];
        return [findBinary(hostOf(node, { platform, arch })).path.replace(/^.*\/node_modules\//, '')];
      }),
    ),
  );
  t.strictSame(used.sort(), Object.keys(OFFICIAL_BLOBS).sort(), 'all of them, and no other');
});

t.test('DEPLOY18 the binary for this Node is loaded', async (t) => {
  t.match(loadUWebSockets(), { App: Function, SSLApp: Function, us_listen_socket_close: Function, us_socket_local_port: Function });
});

t.test('DEPLOY18 a missing binary is named, with the ways round', async (t) => {
  const expected =
    'uWebSockets.js has no binary here for Node 26.1.0 (uws_linux_x64_147.node is missing): use Node 20, 22 or, on Linux, 24, the single ' +
    'file or the container, which bring their own Node, or point "uWebSockets.js" in package.json at an official release that has this file.';
  t.equal(
    messageOf(() => findBinary(hostOf(26))),
    expected,
  );
  // The package has these, but no official release does.
  for (const platform of ['darwin', 'win32']) {
    t.match(
      messageOf(() => findBinary(hostOf(24, { platform }))),
      `uws_${platform}_x64_137.node is missing`,
    );
  }
});

t.test('DEPLOY18 an official release in place of the package is used, for any Node', async (t) => {
  const packages = await withBinary(t, 'uWebSockets.js/uws_linux_x64_147.node');
  const path = join(packages, 'uWebSockets.js', 'uws_linux_x64_147.node');
  t.strictSame(findBinary(hostOf(26, { packageFolders: [join(packages, 'nearer'), packages] })), { carrier: 'uWebSockets.js', path });
});

t.test('DEPLOY18 a glibc that is too old is named, and so is every other reason', async (t) => {
  const refusal = (reason: string) =>
    messageOf(() =>
      loadUWebSockets(hostOf(22), () => {
        throw new Error(reason);
      }),
    );
  t.match(
    refusal("/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by /a/uws_linux_x64_137.node)"),
    /^Node 22\.1\.0 needs glibc 2\.38 here, and this system has (?:2\.\d+|another C library): use Node 20 or 22, a single file [^.]*\(Debian 13, Ubuntu 24\.04\)\.$/,
  );
  t.match(refusal('file too short'), /^uWebSockets\.js cannot be loaded from .*uws_linux_x64_127\.node: file too short$/);
});

t.test('DEPLOY18 the service does not start without it, and config check says so: exit code 78', async (t) => {
  const later = `data:text/javascript,Object.defineProperty(process.versions,'modules',{value:'147'})`;
  const folder = await temporaryFolder(t);
  const settings = { NODE_OPTIONS: `--import=${encodeURI(later)}`, DATA_DIR: join(folder, 'data'), PORT: '0' };
  const { code, stdout, stderr } = await runProgram(['serve'], settings, { folder });
  t.strictSame({ code, stdout }, { code: 78, stdout: '' });
  t.match(stderr, /^switchboard: uWebSockets\.js has no binary here for Node [\d.]+ \(uws_\w+_147\.node is missing\): .*\n$/);
  t.match(await runProgram(['config', 'check'], settings, { folder }), { code: 78, stderr: /^ {2}- uWebSockets\.js has no binary here/m });
  t.match(await runProgram(['--version'], settings, { folder }), { code: 0, stderr: '' }, 'other commands need none');
});
