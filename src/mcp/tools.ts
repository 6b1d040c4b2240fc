import type { NamedValues, Signature } from '../library/arguments.ts';
import type { Asof } from '../library/asof.ts';
import type { Result } from '../library/operation-methods.ts';
import { analysisSignatures, signatureOf } from '../library/signatures.ts';
import type { Row } from '../operations/envelope.ts';
import { operations } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import { camelCase } from '../operations/param.ts';

/** What an assistant can ask: a method of the library, whose arguments and parameters are named. */
export type Tool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of what it takes. */
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  /** Whether `limit` bounds its rows. */
  readonly hasLimit: boolean;
  /** The fields of its rows that later vintages change, so that they are not known as of an earlier day. */
  readonly growing: readonly string[];
  /** Asks the method; a Problem where it does not take these values. */
  readonly call: (asof: Asof, values: NamedValues) => Promise<Result<Row>>;
};

/** A tool for each operation and each analysis, as they are declared; what is about the caller is none. */
export function tools(): readonly Tool[] {
  const ofOperations = operations.filter(({ aboutCaller }) => aboutCaller !== true).map(toolOf);
  const ofAnalyses = Object.values<Signature>(analysisSignatures)
    .filter(({ about }) => about !== undefined)
    .map((signature) => tool(signature, { name: signature.name, about: signature.about ?? '' }));
  return [...ofOperations, ...ofAnalyses];
}

function toolOf(operation: Operation): Tool {
  const { name, summary, description, fields } = operation;
  const analyses: Readonly<Record<string, Signature>> = analysisSignatures;
  const { analysis } = operation.command;
  const signature = analysis === undefined ? signatureOf(operation, [], false) : analyses[analysis];
  if (signature === undefined) throw new Error(`${name} has no signature`);
  const about = `${summary}. ${description}`;
  const growing = fields.filter(({ grows }) => grows === true).map((field) => field.name);
  return { ...tool(signature, { name, about }), growing };
}

function tool(
  signature: Signature,
  { name, about }: { readonly name: string; readonly about: string },
): Tool {
  const { args, params: { kinds = {}, required = [] } = {} } = signature;
  const properties = [
    ...args.map((arg) => [arg.name, arg.kind.schema] as const),
    ...Object.entries(kinds).map(([param, kind]) => [param, kind.schema] as const),
  ];
  return {
    name: name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    description: about,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(properties.filter(([, schema]) => schema !== undefined)),
      required: [...args.filter(({ isOptional }) => isOptional !== true).map((arg) => arg.name), ...required],
      additionalProperties: false,
    },
    hasLimit: Object.hasOwn(kinds, 'limit'),
    growing: [],
    call(asof, values) {
      // The library has a method for every signature.
      const method: (...asked: readonly unknown[]) => Promise<Result<Row>> = Reflect.get(
        asof,
        camelCase(name),
      );
      const own = new Set(args.map((arg) => arg.name));
      const others = Object.entries(values).filter(([param]) => !own.has(param));
      const asked = args.map((arg) => values[arg.name]);
      return method.call(asof, ...asked, ...(others.length > 0 ? [Object.fromEntries(others)] : []));
    },
  };
}
