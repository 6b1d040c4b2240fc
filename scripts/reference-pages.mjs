import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { nameOf, Sources } from './reference-sources.mjs';

// Writes the generated parts of docs/ from the built program: node scripts/reference-pages.mjs
// A part lies between <!-- generated: NAME WORDS --> and <!-- end -->.

const root = fileURLToPath(new URL('../', import.meta.url));

const generatedPages = [
  'docs/README.md',
  'docs/reference/command-line.md',
  'docs/reference/http.md',
  'docs/reference/library.md',
  'docs/reference/formats.md',
  'docs/reference/sample-series.md',
];

/** Each page of `generatedPages` by its path, with every generated part as asof gives it today. */
async function referencePages(run) {
  const home = await mkdtemp(join(tmpdir(), 'asof-reference-'));
  try {
    const sources = new Sources(home, run);
    const pages = await Promise.all(
      generatedPages.map(async (path) => [
        path,
        await filled(await readFile(join(root, path), 'utf8'), sources),
      ]),
    );
    return new Map(pages);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function filled(page, sources) {
  const pieces = page.split(/(^<!-- generated: .* -->\n[\s\S]*?^<!-- end -->$)/m);
  const made = await Promise.all(
    pieces.map(async (piece) => {
      const [, name, words] = /^<!-- generated: ([\w-]+) ?(.*) -->\n/.exec(piece) ?? [];
      if (name === undefined) return piece;
      const part = parts[name];
      if (part === undefined) throw new Error(`there is no generated part '${name}'`);
      return `<!-- generated: ${[name, words].filter(Boolean).join(' ')} -->\n\n${await part(sources, words)}\n\n<!-- end -->`;
    }),
  );
  return made.join('');
}

const parts = {
  commands: async ({ helpOf, commands }) => {
    const groups = new Map();
    for (const { heading, words } of await commands()) {
      const row = [`[\`asof ${words}\`](#asof-${words.replaceAll(' ', '-')})`, (await helpOf(words)).summary];
      groups.set(heading, [...(groups.get(heading) ?? []), row]);
    }
    return [...groups]
      .map(([heading, rows]) => `**${heading}**\n\n${table(['command', 'what it does'], rows)}`)
      .join('\n\n');
  },

  'shared-flags': async ({ sharedFlags }) => flagTable(await sharedFlags()),

  'chart-flags': async ({ chartFlags }) => flagTable(await chartFlags()),

  command: async ({ asof, helpOf, sharedFlags }, given) => {
    const [words, example] = given.split(/ \| ?/);
    const { summary, usage, flags, positionals, draws } = await helpOf(words);
    const shared = new Set((await sharedFlags()).map(([flag]) => nameOf(flag)));
    const own = flags.filter(([flag]) => !shared.has(nameOf(flag)) && nameOf(flag) !== '--help');
    const args = positionals.filter(([, text]) => text !== '');
    const rows = [...args, ...own, ...(draws ? [['--plot', '[flags of charts](#flags-of-charts)']] : [])];
    const heading = args.length === 0 ? 'flag' : 'argument or flag';
    return [
      `${summary}.`,
      `\`\`\`text\n${usage}\n\`\`\``,
      ...(rows.length === 0 ? [] : [flagTable(rows, heading)]),
      ...(example === undefined ? [] : [await columnsOf(asof, `${words} ${example}`)]),
    ].join('\n\n');
  },

  columns: ({ asof }, line) => columnsOf(asof, line),

  topic: async ({ asof }, topic) => {
    const rows = (await asof(['help', topic])).split('\n').flatMap((line) => {
      const [, term, text] = /^ {2,5}(\S+(?:, \S+)*)(?: {2,}(.*))?$/.exec(line) ?? [];
      const [, more] = /^ {8,}(\S.*)$/.exec(line) ?? [];
      return term === undefined ? (more === undefined ? [] : [{ more }]) : [{ term, text: text ?? '' }];
    });
    const entries = [];
    for (const { term, text, more } of rows) {
      const last = entries.at(-1);
      if (term !== undefined) entries.push([code(term), text]);
      else if (last !== undefined) last[1] = `${last[1]} ${more}`.trim();
    }
    return table(topic === 'exit-codes' ? ['code', 'meaning'] : ['variable', 'meaning'], entries);
  },

  kinds: async ({ asof }) => {
    const listed = (await asof(['help', 'formats'])).split('\n').flatMap((line) => {
      const [, kind, text] = /^ {2}([a-z0-9-]+-[a-z0-9-]+|rtdsm) {2,}(.*)$/.exec(line) ?? [];
      return kind === undefined ? [] : [[`[\`${kind}\`](#${kind})`, text]];
    });
    return table(['kind', 'files'], listed);
  },

  endpoints: async ({ openapi }) => {
    const { paths } = await openapi();
    return table(
      ['path', 'answers'],
      Object.entries(paths).map(([path, { get }]) => [
        isOperation(get) ? `[${code(path)}](#${anchorOf(`GET ${path}`)})` : code(path),
        get.summary,
      ]),
    );
  },

  endpoint: async ({ openapi }, path) => {
    const { paths, components } = await openapi();
    const { parameters = [], responses } = paths[path].get;
    const schema = responses['200'].content['application/json'].schema.$ref.split('/').at(-1);
    const { properties } = components.schemas[schema];
    // Rows may have other columns; the usual ones come first.
    const { $ref, anyOf = [] } = properties.results.items;
    const row = ($ref ?? anyOf[0].$ref).split('/').at(-1);
    const asked = parameters.map(({ name, in: place, required, description, schema: type }) => [
      code(name),
      place === 'path' ? 'path' : required ? 'required' : '',
      typeText(type),
      description,
    ]);
    const given = Object.entries(components.schemas[row].properties).map(([name, type]) => [
      code(name),
      typeText(type),
      type.description ?? '',
    ]);
    return [
      `\`object\` is \`${properties.object.const}\`.`,
      ...(asked.length === 0 ? ['No parameters.'] : [table(['parameter', '', 'type', 'meaning'], asked)]),
      table(['field of a row', 'type', 'meaning'], given),
    ].join('\n\n');
  },

  methods: async ({ library }) =>
    library()
      .methods.map(({ name }) => `[\`${name}\`](#${name.toLowerCase()})`)
      .join(', '),

  method: async ({ openapi, library }, name) => {
    const found = library().methods.find((method) => method.name === name);
    if (found === undefined) throw new Error(`the library has no method '${name}'`);
    const operations = Object.values((await openapi()).paths).map(({ get }) => get);
    const operation = operations.find(({ operationId }) =>
      operationId === undefined ? false : camelCase(operationId) === name,
    );
    const named = operation?.parameters?.find((one) => one.in === 'path')?.name ?? 'text';
    const calls = found.calls.map(({ params, result, row }) => {
      const given = params.map((one) => {
        const label = `${one.name === 'argument' ? named : one.name}${one.isOptional ? '?' : ''}`;
        return `${label}: ${one.members.length === 0 ? one.text : block(one.members)}`;
      });
      const rows =
        row === undefined || row.members.length === 0 ? result : `Promise<Result<${block(row.members)}>>`;
      return `${name}(${given.join(', ')}): ${rows}`;
    });
    const about = found.about || `${operation.summary}.`;
    const all = found.iterates ? `\n\n\`${name}.all(…)\` iterates over all rows.` : '';
    return `${about}${all}\n\n\`\`\`typescript\n${calls.join('\n\n')}\n\`\`\``;
  },

  members: async ({ library }, name) =>
    table(
      ['member', 'type', 'meaning'],
      library()
        .types.members(name)
        .filter((one) => one.name !== '#private')
        .map((one) => [code(`${one.name}${one.isOptional ? '?' : ''}`), code(one.text), one.about]),
    ),

  'exported-names': async ({ library }) =>
    table(
      ['name', 'kind', 'what it is'],
      library()
        .types.exports()
        .map(({ name, kind, about }) => [code(name), kind, about]),
    ),

  headers: async ({ openapi }) => {
    const { headers } = (await openapi()).components;
    const names = {
      RequestId: 'X-Request-Id',
      RateLimitLimit: 'RateLimit-Limit',
      RateLimitRemaining: 'RateLimit-Remaining',
      RateLimitReset: 'RateLimit-Reset',
      RetryAfter: 'Retry-After',
    };
    return table(
      ['header', 'meaning'],
      Object.entries(headers).map(([name, { description }]) => [code(names[name] ?? name), description]),
    );
  },

  'sample-series': async ({ asof }) => {
    const series = JSON.parse(await asof(['series', 'search', '--all', '--json'])).results;
    const dates = new Map();
    for (const [id, date] of cellsOf(await asof(['obs', '*', '--csv', '--columns', 'series_id,date']))) {
      const own = dates.get(id) ?? [];
      dates.set(id, own);
      own.push(date);
    }
    const rows = await Promise.all(
      series.map(async ({ id, title, source, frequency, first_vintage, covered_to }) => {
        const line = ['vintages', id, '--all', '--csv', '--quiet', '--columns', 'as_of_date'];
        const days = cellsOf(await asof(line))
          .map(([day]) => day)
          .sort();
        const own = dates.get(id).sort();
        return [
          code(id),
          title,
          source,
          frequency,
          `${own[0]} to ${own.at(-1)}`,
          samplingOf(days, source),
          String(days.length),
          first_vintage.slice(0, 10),
          covered_to.slice(0, 10),
        ];
      }),
    );
    const columns = [
      'id',
      'title',
      'source',
      'frequency',
      'dates',
      'vintages are',
      'number',
      'first vintage',
      'covered to',
    ];
    return table(columns, rows);
  },

  'sample-curves': async ({ asof }) => {
    const rows = await Promise.all(
      ['par', 'tips'].map(async (type) => {
        const line = ['yields', '--type', type, '--all', '--csv', '--columns', 'trade_date,maturity,source'];
        const yields = cellsOf(await asof(line));
        const days = [...new Set(yields.map(([day]) => day))].sort();
        const maturities = [...new Set(yields.map(([, maturity]) => maturity))].sort(
          (a, b) => monthsOf(a) - monthsOf(b),
        );
        return [
          code(type),
          [...new Set(yields.map(([, , source]) => source))].join(', '),
          `${days[0]} to ${days.at(-1)}`,
          String(days.length),
          maturities.join(' '),
        ];
      }),
    );
    return table(['type', 'source', 'trade dates', 'number', 'maturities'], rows);
  },

  'sample-filings': async ({ asof }) => {
    const columns = 'accession_number,ticker,issuer_name,filing_date';
    const line = ['insider', 'filings', '--from', '1990-01-01', '--all', '--csv', '--columns', columns];
    const issuers = new Map();
    for (const row of parse(await asof(line), { columns: true })) {
      const one = issuers.get(row.ticker) ?? { name: row.issuer_name, filings: new Set(), days: [] };
      issuers.set(row.ticker, one);
      one.filings.add(row.accession_number);
      one.days.push(row.filing_date);
    }
    const rows = [...issuers].sort().map(([ticker, { name, filings, days }]) => {
      const [first, last] = [days.sort()[0], days.sort().at(-1)];
      return [
        code(ticker),
        name,
        String(filings.size),
        String(days.length),
        first === last ? first : `${first} to ${last}`,
      ];
    });
    return table(['ticker', 'issuer', 'filings with trades', 'trades', 'filed'], rows);
  },
};

/** The rows of CSV without its header, where no cell has a quote: a parser takes seconds for all rows of the sample. */
function cellsOf(csv) {
  if (csv.includes('"')) throw new Error('a cell has a quote');
  return csv
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
}

function flagTable(rows, heading = 'flag') {
  return table(
    [heading, 'meaning'],
    rows.map(([flag, text]) => [code(flag), text]),
  );
}

async function columnsOf(asof, line) {
  const [header = ''] = (await asof([...line.trim().split(' '), '--csv', '--quiet'])).split('\n');
  return `Columns: ${header.split(',').map(code).join(', ')}.`;
}

/** Which days vintages are of, told by the days. */
function samplingOf(days, source) {
  if (source === 'FRED') return 'publication dates';
  const months = days.map((day) => 12 * Number(day.slice(0, 4)) + Number(day.slice(5, 7)));
  const gaps = months.slice(1).map((month, i) => month - months[i]);
  if (days.every((day) => day.endsWith('-15'))) {
    if (gaps.every((gap) => gap % 3 === 0)) return 'one a quarter, the 15th of its middle month';
    return 'one a month, the 15th';
  }
  return 'the dates of panels';
}

function monthsOf(maturity) {
  return Number.parseFloat(maturity) * (maturity.endsWith('Y') ? 12 : 1);
}

function typeText({
  type,
  format,
  enum: choices,
  const: only,
  minimum,
  maximum,
  default: preset,
  items,
  pattern,
  anyOf,
}) {
  if (anyOf !== undefined) return anyOf.map(typeText).join(' or ');
  const types = [type].flat().filter((one) => one !== undefined && one !== 'null');
  const base =
    choices === undefined
      ? only === undefined
        ? pattern?.includes('[0-9]+') && types[0] === 'string'
          ? 'decimal'
          : (format ?? types.join(' or '))
        : code(String(only))
      : choices
          .filter((choice) => choice !== null)
          .map((choice) => (choice === '' ? 'empty' : code(choice)))
          .join(', ');
  const range =
    minimum === undefined ? '' : ` ${minimum}${maximum === undefined ? ' or more' : ` to ${maximum}`}`;
  const list = items === undefined ? '' : items.format === 'date' ? 'dates' : 'list';
  const orNull = [type].flat().includes('null') ? ', or null' : '';
  return `${list || base}${range}${orNull}${preset === undefined ? '' : ` (default ${preset})`}`;
}

/** Members of an object type, as many a line as fit into 100 characters. */
function block(members) {
  const lines = [];
  for (const { name, isOptional, text } of members) {
    const member = `${name}${isOptional ? '?' : ''}: ${text};`;
    const last = lines.at(-1);
    if (last !== undefined && last.length + member.length < 100)
      lines[lines.length - 1] = `${last} ${member}`;
    else lines.push(`  ${member}`);
  }
  return `{\n${lines.join('\n')}\n}`;
}

function camelCase(name) {
  return name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}

/** Whether an endpoint answers with an envelope: only those have a section. */
function isOperation({ responses }) {
  return responses['200']?.content?.['application/json']?.schema?.$ref !== undefined;
}

/** The fragment of a heading, as GitHub makes it. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function code(text) {
  return `\`${text}\``;
}

function table(header, rows) {
  const cells = (row) =>
    `| ${row.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [cells(header), cells(header.map(() => '---')), ...rows.map(cells)].join('\n');
}

/** The pages whose generated parts differ from what asof gives; `run` gives the stdout of a command. */
export async function stalePages(run) {
  const stale = [];
  for (const [path, text] of await referencePages(run))
    if (text !== (await readFile(join(root, path), 'utf8'))) stale.push(path);
  return stale;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of await referencePages()) await writeFile(join(root, path), text);
