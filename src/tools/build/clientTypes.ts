/**
 * Joins the declarations of the client into one file: those that its entry exports, and those that these mention. The
 * compiler writes one file a module, and a page or an editor that loads `/client.js` wants one beside it.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Declaration {
  readonly name: string;
  /** With its comment, without `export`. */
  readonly text: string;
}

interface Module {
  readonly declarations: readonly Declaration[];
  /** Of the modules that it names. */
  readonly paths: readonly string[];
}

const IMPORT = /^import (?:type )?\{[^}]*\} from '(\.[^']*)\.js';$/gm;
const REEXPORT = /^export (?:type )?(?:\{([^}]*)\}|(\*)) from '(\.[^']*)\.js';$/gm;
const DECLARATION = /^(?:declare )?(?:abstract )?(?:class|interface|type|const|function) (\w+)/m;
/** The first line of a statement. The compiler indents what is inside of one. */
const BEGINNING = /^(?:import|export|declare|abstract|class|interface|type|const|function) /;

/** `entry` is the path of its declarations, which only exports what other modules declare. */
export function joinTypes(entry: string): string {
  const exported = new Set<string>();
  const modules = new Map<string, Module>();
  const read = (path: string): Module => {
    const known = modules.get(path);
    if (known !== undefined) return known;
    const found = readModule(path);
    modules.set(path, found);
    found.paths.forEach(read);
    return found;
  };
  for (const [, names, all, from = ''] of readFileSync(entry, 'utf8').matchAll(REEXPORT)) {
    const { declarations } = read(join(dirname(entry), `${from}.d.ts`));
    if (all !== undefined) for (const { name } of declarations) exported.add(name);
    for (const name of (names ?? '').split(',')) exported.add(name.replace(/\btype\b/, '').trim());
  }
  exported.delete('');
  return render(mentioned(exported, [...modules.values()]), exported);
}

function readModule(path: string): Module {
  const text = readFileSync(path, 'utf8');
  const paths = [...text.matchAll(IMPORT), ...text.matchAll(REEXPORT)].map((match) => join(dirname(path), `${match.at(-1)}.d.ts`));
  const declarations = statementsOf(text).flatMap((statement) => {
    const own = statement.replace(/^export (?=declare|abstract|class|interface|type \w|const|function)/m, '').trimEnd();
    const name = DECLARATION.exec(own)?.[1];
    if (name !== undefined) return { name, text: own };
    if (/^(?:import |export \{)/m.test(own)) return [];
    throw new Error(`${path}: this is no declaration:\n${own}`);
  });
  return { declarations, paths };
}

/** Each with the comment above it. */
function statementsOf(text: string): string[] {
  const statements: string[] = [];
  let lines: string[] = [];
  let isComment = true;
  for (const line of text.split('\n')) {
    const begins = line.startsWith('/**') || (BEGINNING.test(line) && !isComment);
    if (begins && lines.length > 0) {
      statements.push(lines.join('\n'));
      lines = [];
    }
    if (line.startsWith('/**')) isComment = true;
    else if (BEGINNING.test(line)) isComment = false;
    lines.push(line);
  }
  statements.push(lines.join('\n'));
  return statements.filter((statement) => BEGINNING.test(statement.replace(/^\/\*\*[^]*?\*\/\n/, '')));
}

/** By name, all that the given names need. */
function mentioned(names: ReadonlySet<string>, modules: readonly Module[]): Map<string, string> {
  const declared = new Map<string, string>();
  const twice = new Set<string>();
  for (const { name, text } of modules.flatMap(({ declarations }) => declarations)) {
    if (declared.has(name)) twice.add(name);
    declared.set(name, text);
  }
  const found = new Map<string, string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const text = declared.get(name);
    if (text === undefined || found.has(name)) continue;
    if (twice.has(name)) throw new Error(`two modules of the client declare ${name}, so their types cannot be one file`);
    found.set(name, text);
    waiting.push(...new Set(text.replace(/\/\*\*[^]*?\*\//g, '').match(/\b[A-Za-z]\w*\b/g)));
  }
  const missing = [...names].filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`the types of the client do not declare ${missing.join(', ')}`);
  return found;
}

function render(declarations: ReadonlyMap<string, string>, exported: ReadonlySet<string>): string {
  // Every declaration of a file of types is exported unless the file says which ones are.
  const texts = [...declarations].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => asAmbient(text));
  return `${texts.join('\n')}\nexport { ${[...exported].sort().join(', ')} };\n`;
}

function asAmbient(text: string): string {
  return text.replace(/^(class|const|function|abstract) /m, 'declare $1 ');
}
