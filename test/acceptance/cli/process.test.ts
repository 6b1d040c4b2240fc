import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { asof, importedStore, statements } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { builtProgram } from '../../support/repository.ts';

const folder = newFolder();
const large = folder.path('large.db');
let store = '';

type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

function ended(child: ReturnType<typeof spawn>): Promise<Ended> {
  const [out, err]: [string[], string[]] = [[], []];
  child.stdout?.on('data', (data) => out.push(String(data)));
  child.stderr?.on('data', (data) => err.push(String(data)));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out: out.join(''), err: err.join('') }));
  });
}

/** The built command in a shell, which sees it as `$ASOF` and the stores as `$STORE` and `$LARGE`. */
function shell(script: string): Promise<Ended> {
  const programs = { PATH: process.env.PATH, ASOF: `${process.execPath} ${builtProgram}` };
  const env = { ...programs, HOME: folder.path('home'), STORE: store, LARGE: large };
  return ended(spawn('bash', ['-c', script], { env, cwd: folder.path('.') }));
}

beforeAll(async () => {
  store = await importedStore(folder);
  folder.write('plan.txt', 'gdp.csv obs GDP\n');
  const lines: string[] = [];
  for (let series = 0; series < 30; series += 1)
    for (let day = 0; day < 3000; day += 1) {
      const date = new Date(Date.UTC(2000, 0, 1 + day)).toISOString().slice(0, 10);
      lines.push(`S${series},${date},2020-01-01,${day}.5`);
    }
  const facts = folder.write('large.csv', statements(lines));
  expect((await asof(['import', facts, '--store', large])).code).toBe(0);
});

describe('the built command', () => {
  it('loads nothing but its start to print the version, and one file more for a query of the embedded store', async () => {
    const hook = folder.write(
      'loaded.cjs',
      "process.on('exit', () => console.error(Object.keys(require.cache).join('\\n')));",
    );
    const prefix = `${dirname(builtProgram)}/`;
    const filesLoadedBy = async (line: string) => {
      const { err } = await shell(`"${process.execPath}" -r "${hook}" "${builtProgram}" ${line}`);
      const loaded = err.split('\n').filter((path) => path.startsWith(prefix));
      return loaded.map((path) => path.slice(prefix.length));
    };
    const start = ['asof.cjs', 'parts/start.cjs', 'parts/rolldown-runtime.cjs'];
    expect(await filesLoadedBy('--version')).toEqual(start);
    const query = 'obs GDP --limit 1 --store "$STORE"';
    expect(await filesLoadedBy(query)).toEqual([...start, 'parts/query.cjs']);
    const text = (part: string) => readFileSync(join(prefix, `parts/${part}.cjs`), 'utf8');
    // What measures wide characters compiles expressions for 25 ms; a plain query computes no decimals.
    const unwanted = ['Extended_Pictographic', 'ROUND_HALF_EVEN'];
    for (const part of ['start', 'query'])
      expect(unwanted.filter((word) => text(part).includes(word))).toEqual([]);
    // 100 kB take 4.5 ms, where the compiled code is of another Node.
    expect(text('query').length).toBeLessThan(300_000);
  });

  it.each([
    ['that the build compiled', undefined, ['false']],
    ['of source where there is no compiled code', 'none', []],
    ['of source where the compiled code is damaged', 'damaged', ['true']],
  ])('answers a query by code %s', async (_, change, refused) => {
    const copy = folder.path(`copy-${change ?? 'whole'}`);
    mkdirSync(join(copy, 'dist'), { recursive: true });
    for (const name of ['package.json', 'dist/asof.cjs', 'dist/parts'])
      cpSync(join(dirname(builtProgram), '..', name), join(copy, name), { recursive: true });
    symlinkSync(join(dirname(builtProgram), '../node_modules'), join(copy, 'node_modules'));
    const parts = join(copy, 'dist/parts');
    const compiled = readdirSync(parts)
      .filter((name) => name.endsWith(`.cjs.${process.version}-${process.platform}-${process.arch}`))
      .map((name) => join(parts, name));
    expect(compiled.length).toBeGreaterThan(2);
    for (const path of compiled) {
      if (change === 'none') rmSync(path);
      if (change === 'damaged') writeFileSync(path, readFileSync(path).fill(7, 0, 64));
    }
    const hook = folder.write(
      'refused.cjs',
      `const vm = require('node:vm');
       vm.Script = class extends vm.Script {
         constructor(...given) {
           super(...given);
           if (given[1].cachedData) console.error(this.cachedDataRejected);
         }
       };`,
    );
    const line = 'obs LONG GDP --store "$STORE"';
    const { out } = await shell(`$ASOF ${line}`);
    expect(out).toContain('GDP');
    const script = `"${process.execPath}" -r "${hook}" "${copy}/dist/asof.cjs" ${line}`;
    const { err, ...answer } = await shell(script);
    expect(answer).toEqual({ code: 0, out });
    expect([...new Set(err.split('\n').filter(Boolean))]).toEqual(refused);
  });

  it('writes the same bytes into a pipe and into a file as in this process', async () => {
    const { out } = await asof(['obs', 'LONG', 'GDP', '--store', store]);
    expect(await shell('$ASOF obs LONG GDP --store "$STORE"')).toEqual({ code: 0, out, err: '' });
    await shell('$ASOF obs LONG GDP --store "$STORE" > redirected.csv');
    expect(folder.read('redirected.csv')).toBe(out);
  });

  it.each([
    [
      '$ASOF obs "*" --store "$LARGE" | head -1; echo $PIPESTATUS',
      'date,value,as_of_date,series_id,unit,frequency,source\n0\n',
    ],
    [
      '$ASOF facts "*" --store "$LARGE" | head -1; echo $PIPESTATUS',
      'series_id,date,as_of_date,value,vintage_kind,title,units,frequency,seasonal_adjustment,source,covered_to\n0\n',
    ],
    ['$ASOF obs "*" -f parquet --store "$LARGE" | head -c 4; echo " $PIPESTATUS"', 'PAR1 0\n'],
    ['$ASOF help | true; echo $PIPESTATUS', '0\n'],
    [
      'mkfifo whole; cat whole > copy & $ASOF obs "*" --store "$LARGE" > straight; $ASOF obs "*" --store "$LARGE" -o whole; wait; cmp copy straight && echo same',
      'same\n',
    ],
    ['mkfifo fifo; head -1 fifo > /dev/null & $ASOF obs "*" --store "$LARGE" -o fifo; echo $?', '0\n'],
  ])('ends quietly when its reader has gone: %s', async (script, out) => {
    expect(await shell(script)).toEqual({ code: 0, out, err: '' });
  });

  it('goes on when its stderr is closed', async () => {
    const { out } = await shell(
      '{ $ASOF obs NOPE --store "$STORE"; echo $? >&3; } 3>&1 2>&1 >/dev/null | true; sleep 0.1',
    );
    expect(['', '3\n']).toContain(out);
  });

  it.each([
    ['$ASOF obs "*" --store "$LARGE" > /dev/full', 'stdout'],
    ['$ASOF obs "*" -f parquet --store "$LARGE" > /dev/full', 'stdout'],
    ['$ASOF --version > /dev/full', 'stdout'],
    ['$ASOF import --log --store "$STORE" > /dev/full', 'stdout'],
    ['$ASOF facts GDP --store "$STORE" > /dev/full', 'stdout'],
    ['$ASOF snapshot plan.txt --out snap --dry-run > /dev/full', 'stdout'],
    ['$ASOF obs GDP --store "$STORE" -o /dev/full', '/dev/full'],
  ])('exits with 10 on a full disk: %s', async (script, target) => {
    const err = `asof: cannot write to ${target}: the disk is full\n`;
    expect(await shell(script)).toEqual({ code: 10, out: '', err });
  });

  it('exits with 10 if the disk takes only a part of the last write', async () => {
    // A limit of the file size simulates a full disk: the first write beyond it is cut without an error.
    const { code, err } = await shell(
      `trap '' XFSZ; ulimit -f 64; $ASOF obs LONG --limit 1000 --store "$STORE" -f ndjson > short.ndjson`,
    );
    expect(statSync(folder.path('short.ndjson')).size).toBe(64 * 1024);
    expect([code, err]).toEqual([10, 'asof: cannot write to stdout: the file would exceed the size limit\n']);
  });
});

describe('a signal', () => {
  /** Starts a command, sends it a signal while it works, and measures how soon it ends. */
  async function signalled(line: readonly string[], signal: NodeJS.Signals, atWork: () => boolean) {
    const child = spawn(process.execPath, [builtProgram, ...line], { stdio: ['ignore', 'pipe', 'pipe'] });
    const end = ended(child);
    while (!atWork() && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 2));
    const sent = performance.now();
    child.kill(signal);
    const { code, err } = await end;
    return { code, err, soon: performance.now() - sent < 10_000 };
  }

  const drafts = () => readdirSync(folder.path('.')).filter((name) => /\.part$|\.new-/.test(name));
  const begun = () => drafts().length > 0;

  it.each<readonly [signal: NodeJS.Signals, code: number, file: string, atWork: () => boolean]>([
    ['SIGINT', 130, 'export.csv', begun],
    ['SIGTERM', 143, 'export.csv', begun],
    ['SIGHUP', 143, 'export.csv', begun],
    ['SIGINT', 130, 'export.parquet', begun],
    ['SIGINT', 130, 'half.parquet', () => drafts().some((name) => statSync(folder.path(name)).size > 0)],
  ])(
    '%s ends an export with %i, at once, without a trace or half of %s',
    async (signal, code, file, atWork) => {
      const line = ['obs', '*', '--sort', 'asc', '--store', large, '-o', folder.path(file)];
      expect(await signalled(line, signal, atWork)).toEqual({ code, err: '', soon: true });
      expect([drafts(), folder.has(file)]).toEqual([[], false]);
    },
  );

  it('ends an import with the store untouched', async () => {
    const path = folder.path('untouched.db');
    const line = ['import', folder.path('large.csv'), '--store', path];
    const { code, err } = await signalled(line, 'SIGTERM', begun);
    expect([code, err]).toEqual([143, 'asof: stopped; nothing was imported\n']);
    expect([drafts(), folder.has('untouched.db')]).toEqual([[], false]);
  });

  it.concurrent.each<readonly [signal: NodeJS.Signals, code: number, reader: string]>([
    ['SIGTERM', 143, 'no reader'],
    ['SIGINT', 130, 'a reader that reads nothing'],
  ])('%s ends with %i at once an export into a named pipe that has %s', async (signal, code, reader) => {
    const pipe = folder.path(`${signal}.fifo`);
    await shell(`mkfifo "${pipe}"`);
    const idle =
      reader === 'no reader'
        ? undefined
        : spawn('sh', ['-c', 'exec sleep 60 < "$0"', pipe], { stdio: 'ignore' });
    // Long enough for the command to start, and to fill the pipe.
    const started = performance.now();
    const isWaiting = () => performance.now() - started > 3000;
    const line = ['obs', '*', '--store', large, '--csv', '-o', pipe];
    expect(await signalled(line, signal, isWaiting)).toEqual({ code, err: '', soon: true });
    idle?.kill();
  });

  it('leaves no file behind in any of these tests', () => {
    expect(readdirSync(folder.path('.')).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});
