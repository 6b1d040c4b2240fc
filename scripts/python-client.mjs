import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

// Writes the generated modules of clients/python from the table of questions: node scripts/python-client.mjs

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = 'clients/python/asof';
const notice = '# Generated from the table of questions by scripts/python-client.mjs.';

/** Each generated module by its path, as the table of questions gives it today. */
async function pythonModules() {
  const declared = await declarations();
  const asked = pythonQuestions(declared);
  return new Map([
    [`${folder}/endpoints.py`, endpointsModule(asked, declared)],
    [`${folder}/questions.py`, questionsModule(asked)],
    [`${folder}/default.py`, defaultModule(asked)],
  ]);
}

/** The declarations, bundled, because Node 20 runs no TypeScript. */
async function declarations() {
  const contents = `
    export { questions } from './src/questions/table.ts';
    export { demandsOf } from './src/answering/question.ts';
    export { exits } from './src/cli/terminal/io.ts';
    export { saidIn, wireVoice } from './src/errors/problem.ts';
    export { snakeCase } from './src/operations/param.ts';
  `;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    ...{ bundle: true, platform: 'node', format: 'cjs', packages: 'external', write: false },
  });
  const module = { exports: {} };
  const load = new Function('module', 'exports', 'require', outputFiles[0].text);
  load(module, module.exports, createRequire(join(root, 'scripts/')));
  return module.exports;
}

/** The questions as Python asks them: where a method has `all`, with all rows, of one series or several. */
function pythonQuestions({ questions, demandsOf, saidIn, wireVoice, snakeCase }) {
  const voice = {
    ...wireVoice,
    param: (name, value) => (value === undefined ? `\`${name}\`` : `${name}=${value}`),
  };
  const said = (text) => text && saidIn(voice, text);
  const all = Object.values(questions);
  const others = new Set(all.flatMap((one) => (one.all && one.all.name !== one.name ? [one.all.name] : [])));
  return all
    .filter(({ name }) => !others.has(name))
    .map((own) => {
      const question = own.all ?? own;
      const { operation, command, endpoint = operation, defaults = {} } = question;
      const about = [
        question.about,
        operation && [operation.summary, operation.description],
        command && [command.summary, command.about],
        endpoint && [endpoint.summary],
      ];
      const [first] = about.filter((one) => one !== undefined);
      const params = { ...question.params, ...demandsOf(question) };
      const args = question.args.map((one) => paramOf(snakeCase(one.label ?? one.name), one, one.name, {}));
      const options = Object.entries(params).map(([name, one]) => paramOf(name, one, name, defaults));
      return {
        name: own.name,
        asked: question.name,
        about: [first]
          .flat()
          .filter(Boolean)
          .map(said)
          .map((text) => text.replace(/[^.]$/, '$&.')),
        args,
        options: options.flatMap((one) => (isBound(params, one.wire) ? [one, knownBefore] : [one])),
        row: rowOf(question, params),
        ...(endpoint && {
          endpoint: {
            path: endpoint.path,
            params: [...args, ...options],
          },
        }),
      };
    });
}

const knownBefore = {
  name: 'known_before',
  type: 'Day',
  isOptional: true,
  about: 'Only what was published before this date, instead of `as_of`.',
};

/** Whether a command takes the day before as `--known-before`. */
function isBound(params, name) {
  const flags = params[name].typed?.flags ?? [];
  return !Object.hasOwn(params, 'known_before') && flags.some((flag) => flag.name === 'known-before');
}

function paramOf(name, { schema, required, description }, wire, defaults) {
  const isTable = name === 'table';
  return {
    ...{
      name: /^(from|in|is|not|or|and|if|as)$/.test(name) ? `${name}_` : name,
      wire,
      isOptional: !required,
      about: description,
    },
    type: isTable ? 'Table' : name === 'ids' ? 'Ids' : typeOf(schema),
    fallback: defaults[name],
  };
}

function typeOf(schema) {
  if (schema.const !== undefined) return `Literal["${schema.const}"]`;
  if (schema.enum !== undefined) return `Literal[${schema.enum.map((one) => `"${one}"`).join(', ')}]`;
  if (schema.format === 'date') return 'Day';
  if (schema.format === 'date-time') return 'Instant';
  if (schema.anyOf !== undefined && schema.type !== 'array') {
    const all = schema.anyOf.map((one) => typeOf({ type: schema.type, ...one }));
    const types = [...new Set(all.map((one) => one.replace(/^Union\[(.*)\]$/, '$1')))];
    return types.length === 1 ? types[0] : `Union[${types.join(', ')}]`;
  }
  if (schema.type === 'array') return `Sequence[${typeOf(schema.items)}]`;
  if (schema.type === 'object') return `Mapping[str, ${typeOf(schema.additionalProperties)}]`;
  return { integer: 'int', number: 'float', boolean: 'bool', string: 'str' }[schema.type];
}

const rowTypes = {
  ...{ text: 'str', decimal: 'decimal.Decimal', day: 'datetime.date', moment: 'datetime.datetime' },
  ...{ instant: 'Union[datetime.date, datetime.datetime]', integer: 'int', double: 'float', boolean: 'bool' },
  ...{ timestamp: 'Union[datetime.date, datetime.datetime]', list: 'List[Optional[str]]' },
};

/** The fields of rows that have the same ones whatever the parameters; undefined for other rows. */
function rowOf({ layout, args }, params) {
  const [given, other] = ['latest', '2015-01-30'].map((day) =>
    Object.fromEntries(args.map(({ name }) => [name, name === 'days' ? [day, '2009-01-30'] : ['GDP']])),
  );
  const usual = layout(given)?.fields;
  const clock = { now: '2030-01-01T00:00:00Z', today: '2030-01-01', latest: '2030-01-01' };
  const choices = Object.entries(params).flatMap(([name, { schema, check }]) => {
    const some = { boolean: [true], integer: [1], string: schema.enum ?? ['2015-01-30'] };
    return (some[schema.type] ?? [1, 'month-end']).flatMap((value) => {
      try {
        return [[name, check(value, name, clock)]];
      } catch {
        return [];
      }
    });
  });
  const named = (fields) => fields?.map(({ name }) => name).join();
  const asked = [other, ...choices.map(([name, value]) => ({ ...given, [name]: value }))];
  return asked.every((values) => named(layout(values)?.fields) === named(usual)) ? usual : undefined;
}

function endpointsModule(asked, { exits }) {
  const entries = asked.flatMap(({ asked: name, endpoint }) => {
    if (endpoint === undefined) return [];
    const { path, params } = endpoint;
    return [
      `    "${name}": Endpoint(`,
      `        "${path}",`,
      ...filled(
        params.map((one) => `"${keyOf(one)}": "${one.wire}"`),
        '        {',
        '},',
      ),
      `        numbers=${frozen(params, /^(?:int|float|Union|Sequence|[[\], ])+$/)},`,
      `        lists=${frozen(params, /Sequence|Ids/)},`,
      '    ),',
    ];
  });
  const params = asked.flatMap(({ args, options }) => [...args, ...options]);
  const times = new Set(params.filter(({ type }) => /\bInstant\b/.test(type)).map(keyOf));
  const codes = Object.values(exits).flatMap(([code, , ...kinds]) =>
    kinds.map((kind) => `    "${kind}": ${code},`),
  );
  return `"""What a service answers: the path of each question, its parameters, and the codes of its failures."""

${notice}

from __future__ import annotations

from typing import Dict, FrozenSet, Mapping, NamedTuple


class Endpoint(NamedTuple):
    """A question of a service."""

    path: str
    #: The name over HTTP of each parameter.
    params: Mapping[str, str]
    #: The parameters that take numbers, and no texts.
    numbers: FrozenSet[str]
    #: The parameters that take several values.
    lists: FrozenSet[str]


#: The exit code of the command for each kind of failure.
CODES: Dict[str, int] = {
${codes.join('\n')}
}

#: The parameters that take a time, and not only a day.
TIMES = frozenset([${[...times].map((one) => `"${one}"`).join(', ')}])

ENDPOINTS: Dict[str, Endpoint] = {
${entries.join('\n')}
}
`;
}

/** The names of the parameters whose type is like a pattern, as a set of Python. */
function frozen(params, types) {
  const names = params.filter(({ type }) => types.test(type)).map((one) => `"${keyOf(one)}"`);
  return names.length === 0 ? 'frozenset()' : `frozenset({${names.join(', ')}})`;
}

/** Gives long types names, those of the first parameters that have them; returns their definitions. */
function namedTypes(asked) {
  const names = new Map();
  for (const one of asked.flatMap(({ args, options }) => [...args, ...options])) {
    if (one.type.length < 40) continue;
    if (!names.has(one.type)) names.set(one.type, pascalCase(one.name));
    one.type = names.get(one.type);
  }
  return [...names].map(([type, name]) => {
    if (type.length + name.length < width - 3) return `${name} = ${type}`;
    const [, head, inner] = /^(\w+)\[(.*)\]$/.exec(type);
    return [`${name} = ${head}[`, ...filled(inner.split(/, (?![^[]*\])/), '    ', ','), ']'].join('\n');
  });
}

function questionsModule(asked) {
  const rows = asked.filter(({ row }) => row !== undefined);
  const types = namedTypes(asked);
  return `"""Every question of asof as a method, and the rows that it gives."""

${notice}

from __future__ import annotations

import datetime
import decimal
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from .answers import Answer
from .values import Day, Ids, Instant, Table, known

${types.join('\n')}

${rows.map(rowClass).join('\n')}

class Questions:
    """The questions; a subclass answers them."""

    def _ask(self, name: str, values: Mapping[str, Any]) -> Answer[Any]:
        raise NotImplementedError

${asked.map(methodText).join('\n')}`;
}

function pascalCase(name) {
  return name.replace(/(^|_)(\w)/g, (_, __, letter) => letter.toUpperCase());
}

function rowName(name) {
  return `${pascalCase(name)}Row`;
}

function rowClass({ name, row }) {
  const members = row.map(({ name: member, type, fields, nullable, extension, occasional, mayLack }) => {
    const cell = fields === undefined ? rowTypes[type] : 'List[Dict[str, Any]]';
    return `    ${member}: ${nullable || extension || occasional || mayLack ? `Optional[${cell}]` : cell}`;
  });
  return `\nclass ${rowName(name)}(TypedDict):\n    """A row of \`${name}\`."""\n\n${members.join('\n')}\n`;
}

function methodText({ name, asked, about, args, options, row }) {
  const isOfTable = row === undefined && args.some(({ type }) => type === 'Table');
  const answer = `Answer[${row === undefined ? 'Dict[str, Any]' : rowName(name)}]`;
  const sent = [...args, ...options]
    .filter((one) => one !== knownBefore)
    .map((one) => {
      const isKnown = options[options.indexOf(one) + 1] === knownBefore && options.includes(one);
      return `"${keyOf(one)}": ${isKnown ? `known(${one.name}, known_before)` : one.name}`;
    });
  const parts = ['self', ...args.map(declared), ...(options.length === 0 ? [] : ['*'])];
  return [
    `    def ${name}(`,
    ...[...parts, ...options.map(declared)].map((one) => `        ${one},`),
    `    ) -> ${isOfTable ? 'Any' : answer}:`,
    ...docstring(about, [...args, ...options]),
    ...call(`        return self._ask("${asked}", `, sent),
    '',
  ].join('\n');
}

/** The name of a parameter in a question; `from` is a keyword of Python. */
function keyOf({ name }) {
  return name === 'from_' ? 'from' : name;
}

function declared({ name, type, isOptional, fallback }) {
  if (!isOptional) return `${name}: ${type}`;
  if (type === 'bool') return `${name}: bool = False`;
  return fallback === undefined ? `${name}: Optional[${type}] = None` : `${name}: ${type} = "${fallback}"`;
}

function docstring([first, ...others], params) {
  const lines = params.flatMap(({ name, about }) =>
    wrapped(`${name}: ${about}`, '            ', '                '),
  );
  return [
    ...wrapped(`"""${first}`, '        ', '        '),
    ...others.flatMap((text) => ['', ...wrapped(text, '        ', '        ')]),
    ...(lines.length === 0 ? [] : ['', '        Args:', ...lines]),
    '        """',
  ];
}

function call(head, sent) {
  const whole = `${head}{${sent.join(', ')}})`;
  return whole.length <= width ? [whole] : [`${head}{`, ...filled(sent, '            ', ','), '        })'];
}

const width = 118;

/** The words of a text in lines, the first with an indent, the others with another. */
function wrapped(text, indent, rest) {
  const [first, ...words] = text.split(/\s+/);
  const lines = [];
  let line = indent + first;
  for (const word of words) {
    if (line.length + word.length < width) line += ` ${word}`;
    else {
      lines.push(line);
      line = rest + word;
    }
  }
  return [...lines, line];
}

/** Entries with commas, as many in a line as fit. */
function filled([first = '', ...entries], open, close) {
  const lines = [];
  let line = open + first;
  for (const entry of entries) {
    if (line.length + entry.length < width - 4) line += `, ${entry}`;
    else {
      lines.push(`${line},`);
      line = ' '.repeat(open.length) + entry;
    }
  }
  return [...lines, line + close];
}

function defaultModule(asked) {
  const names = asked.map(({ name }) => name);
  return `"""The questions as functions, which ask the asof command."""

${notice}

from .client import Asof

_asof = Asof()

${names.map((name) => `${name} = _asof.${name}`).join('\n')}

__all__ = [
${filled(
  names.map((name) => `"${name}"`),
  '    ',
  ',',
).join('\n')}
]
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of await pythonModules()) await writeFile(join(root, path), text);

export { pythonModules };
