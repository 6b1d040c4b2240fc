import type { Question } from '../analysis/question.ts';
import { Problem } from '../errors/problem.ts';
import type { Asof } from '../library/asof.ts';
import { methodNaming, unknownName } from '../library/call.ts';
import { methodOf, type Result, signatureOf } from '../library/methods.ts';
import type { Row } from '../operations/envelope.ts';
import type { Schema } from '../operations/field.ts';
import { operations } from '../operations/index.ts';
import type { Naming, Operation } from '../operations/operation.ts';
import { camelCase } from '../operations/param.ts';
import type { NamedValues } from '../operations/value.ts';
import { defined } from '../platform/defined.ts';
import { operationQuestion } from '../questions/operation-question.ts';
import { questionNamed, questions } from '../questions/table.ts';

/** A tool for an assistant: a method of the library, called with names for all its arguments and parameters. */
export type Tool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input. */
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  /** The fields of its rows that later vintages change, so that an answer as of an earlier day must omit them. */
  readonly growing: readonly string[];
  /** Calls the method; throws a Problem if it refuses the values. */
  readonly call: (asof: Asof, values: NamedValues) => Promise<Result<Row>>;
};

/** The number of rows of an answer without `limit`, and the most rows of any answer. */
export const rowLimits = { usual: 100, most: 1000 };

/** Names questions as tools, and parameters as tools take them. */
export const toolNaming: Naming = { ...methodNaming, question: ({ name }) => `the tool ${name}` };

/** A tool for each operation and each question that says what it is about, except operations about the caller. */
export function tools(): readonly Tool[] {
  const ofOperations = operations.filter(({ aboutCaller }) => aboutCaller !== true).map(operationTool);
  const ofQuestions = Object.values<Question>(questions).flatMap((question) =>
    question.about === undefined ? [] : [questionTool(question, { growing: [] })],
  );
  return [...ofOperations, ...ofQuestions];
}

function operationTool(operation: Operation): Tool {
  const { name, summary, description, params, fields } = operation;
  const question = questionNamed(name) ?? operationQuestion(operation, operations);
  const growing = fields.filter(({ grows }) => grows === true).map((field) => field.name);
  // Descriptions have the names that parameters have on the wire.
  const about = Object.keys(params).reduce(
    (text, param) => text.replaceAll(new RegExp(`\`${param}(?=[\`=])`, 'g'), `\`${camelCase(param)}`),
    `${summary}. ${description}`,
  );
  return questionTool(question, { description: about, growing });
}

function questionTool(
  question: Question,
  { description, growing }: Pick<Tool, 'growing'> & Partial<Pick<Tool, 'description'>>,
): Tool {
  const signature = signatureOf(question);
  const { name: method, about = '', args, params } = signature;
  const { kinds = {}, required = [], limitsRows = () => true } = params ?? {};
  const { usual, most } = rowLimits;
  const bounds: Readonly<Record<string, Schema>> = {
    limit: { default: usual, maximum: most },
    first: { maximum: most },
  };
  const schemas = [...args.map(({ name, kind }) => [name, kind] as const), ...Object.entries(kinds)].map(
    ([name, { schema }]) => {
      const { [name]: fallback } = question.defaults ?? {};
      return [name, { ...schema, ...defined({ default: fallback }), ...bounds[name] }] as const;
    },
  );
  const needed = [
    ...args.filter(({ isOptional }) => isOptional !== true).map(({ name }) => name),
    ...required,
  ];
  return {
    name: method.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    description: description ?? about,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(schemas),
      required: needed,
      additionalProperties: false,
    },
    growing,
    async call(asof, values) {
      const names = schemas.map(([name]) => name);
      const unknown = Object.keys(values).find((name) => !names.includes(name));
      // Arguments have names here too; the method's own check does not list them.
      if (unknown !== undefined) throw unknownName('parameter', unknown, names);
      const { named, others } = separated(values, new Set(args.map(({ name }) => name)));
      const asked = [
        ...args.map(({ name }) => named[name]),
        Object.hasOwn(kinds, 'limit') && limitsRows(others) ? sized(others) : others,
      ];
      const hasOthers = Object.keys(asked.at(-1) ?? {}).length > 0;
      return methodOf(asof, question)(...(hasOthers ? asked : asked.slice(0, -1)));
    },
  };
}

function separated(values: NamedValues, names: ReadonlySet<string>) {
  const entries = Object.entries(values);
  return {
    named: Object.fromEntries(entries.filter(([name]) => names.has(name))),
    others: Object.fromEntries(entries.filter(([name]) => !names.has(name))),
  };
}

/** The values with a limit on rows; refuses a limit above the most rows of an answer. */
function sized(values: NamedValues): NamedValues {
  const { usual, most } = rowLimits;
  for (const name of ['limit', 'first']) {
    const { [name]: value } = values;
    if (typeof value === 'number' && value > most)
      throw new Problem('bad-input', `invalid '${name}' ${value}: an answer has at most ${most} rows`, {
        field: name,
        hints: ['next_cursor of an answer continues it'],
      });
  }
  return values.limit === undefined && values.first === undefined ? { ...values, limit: usual } : values;
}
