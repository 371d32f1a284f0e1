/** Real reverse proxies with the configuration for operators, in front of a service of the test. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { packagePath } from '../../../src/paths.js';
import type { TestCertificate } from './certificates.js';
import { temporaryFolder } from '../store/folder.js';
import { freePort } from '../service/ports.js';
import { lookFor, pathOf, type Found } from '../service/programs.js';
import { until } from '../until.js';

export interface ReverseProxy {
  readonly url: string;
  /** Its log of requests and errors so far. */
  logged(): Promise<string>;
}

export interface ProxyKind {
  readonly name: string;
  /** The configuration for operators, under `deploy/`. */
  readonly file: string;
  readonly found: Found;
  start(t: Test, serviceUrl: string): Promise<ReverseProxy>;
}

export async function reverseProxies(): Promise<[nginx: ProxyKind, caddy: ProxyKind]> {
  const [nginx, caddy] = [await lookFor('nginx', 'Debian: apt-get install nginx-light'), await lookFor('caddy', 'Debian: apt-get install caddy')];
  return [
    { name: 'nginx', file: 'nginx.conf', found: nginx, start: (t, url) => startNginx(t, pathOf(nginx), url) },
    { name: 'Caddy', file: 'Caddyfile', found: caddy, start: (t, url) => startCaddy(t, pathOf(caddy), url) },
  ];
}

/** nginx has no variables here, so the lines about this machine are replaced; each must exist. */
async function nginxSite(replacements: ReadonlyArray<readonly [line: string, by: string]>): Promise<string> {
  const text = await readFile(packagePath('deploy', 'nginx.conf'), 'utf8');
  return replacements.reduce((site, [line, by]) => {
    if (!site.includes(line)) throw new Error(`nginx.conf has no line "${line}"`);
    return site.replaceAll(line, by);
  }, text);
}

/** A whole configuration with the site in it, for a process that stays in the foreground and in its folder. */
async function writeNginxConfig(folder: string, site: string): Promise<string> {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${join(folder, `${name}_temp`)};`);
  const path = join(folder, 'nginx.conf');
  const main = ['daemon off;', 'master_process off;', `pid ${folder}/nginx.pid;`, `error_log ${folder}/error.log;`];
  await writeFile(path, [...main, 'events {}', 'http {', ...paths, site, '}', ''].join('\n'));
  return path;
}

/** Lets nginx check the file, with only the certificate replaced, and resolves with its output. */
export async function checkNginx(t: Test, program: string, { certFile, keyFile }: TestCertificate): Promise<string> {
  const folder = await temporaryFolder(t);
  const site = await nginxSite([
    ['/etc/letsencrypt/live/boards.example.org/fullchain.pem', certFile],
    ['/etc/letsencrypt/live/boards.example.org/privkey.pem', keyFile],
    ['/var/log/nginx/', `${folder}/`],
  ]);
  const config = await writeNginxConfig(folder, site);
  const { stderr } = await promisify(execFile)(program, ['-t', '-c', config, '-p', folder, '-e', 'stderr']);
  return stderr;
}

async function startNginx(t: Test, program: string, serviceUrl: string): Promise<ReverseProxy> {
  const folder = await temporaryFolder(t);
  const port = await freePort();
  const site = await nginxSite([
    ['server 127.0.0.1:8000;', `server ${new URL(serviceUrl).host};`],
    ['listen 80;', `listen 127.0.0.1:${await freePort()};`],
    ['listen 443 ssl http2;', `listen 127.0.0.1:${port};`],
    ['ssl_certificate ', '# '],
    ['ssl_certificate_key ', '# '],
    ['/var/log/nginx/', `${folder}/`],
  ]);
  const config = await writeNginxConfig(folder, site);
  const log = join(folder, 'output.log');
  const child = spawn(program, ['-c', config, '-p', folder, '-e', join(folder, 'error.log')]);
  return running(t, child, `http://127.0.0.1:${port}`, log, folder);
}

async function startCaddy(t: Test, program: string, serviceUrl: string): Promise<ReverseProxy> {
  const folder = await temporaryFolder(t);
  const url = `http://127.0.0.1:${await freePort()}`;
  const env = {
    ...process.env,
    SITE: url,
    INSTANCES: new URL(serviceUrl).host,
    CADDY_ADMIN: 'off',
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  };
  const args = ['run', '--adapter', 'caddyfile', '--config', packagePath('deploy', 'Caddyfile')];
  return running(t, spawn(program, args, { env }), url, join(folder, 'output.log'), folder);
}

/** Resolves when it answers. */
async function running(t: Test, child: ChildProcess, url: string, outputFile: string, folder: string): Promise<ReverseProxy> {
  const ended = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  child.stderr?.pipe(createWriteStream(outputFile));
  const logged = async (): Promise<string> => {
    const logs = (await readdir(folder)).filter((name) => name.endsWith('.log'));
    return (await Promise.all(logs.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
  };
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the proxy did not start:\n${await logged()}`);
    return isThrough(url);
  }, logged);
  return { url, logged };
}

/** Whether the service answers through the proxy. */
async function isThrough(url: string): Promise<boolean> {
  return fetch(`${url}/ready`).then(
    ({ status }) => status === 200,
    () => false,
  );
}
