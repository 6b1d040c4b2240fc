import type { Demands } from '../analysis/basis.ts';
import { transformationIn } from '../analysis/question.ts';
import { Problem } from '../errors/problem.ts';
import { operations } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import { camelCase, type Param } from '../operations/param.ts';
import { flag, type NamedValues } from '../operations/value.ts';
import { unitsParams } from '../questions/series/shared.ts';
import {
  type AnyKinds,
  demandKinds,
  described,
  extentKinds,
  kindOf,
  kindsOf,
  ofOneSeries,
  ofSeveralIds,
  skipMissing,
} from './arguments.ts';
import type { Signature } from './call.ts';

/** The kinds of the parameters that transform values. */
const unitsKinds: AnyKinds = Object.fromEntries(
  Object.entries(unitsParams).map(([name, param]) => [name, kindOf(param)]),
);

/** Refuses parameters of units without the parameters that they need. */
function checkUnits(values: NamedValues): void {
  transformationIn(values);
}

/**
 * What the method of an operation takes, as the operation declares it; made once for each operation that it may ask.
 */
export function signaturesOf(
  operation: Operation,
  several: boolean,
): (asked: readonly unknown[]) => Signature {
  const made = new Map<Operation, Signature>();
  return (asked) => {
    const { chosen, flags } = askedOf(operation, asked);
    const signature = made.get(chosen) ?? signatureOf(operation.name, chosen, flags, several);
    made.set(chosen, signature);
    return signature;
  };
}

type CommandFlag = NonNullable<Operation['command']['flag']>;

function signatureOf(
  method: string,
  chosen: Operation,
  flags: readonly CommandFlag[],
  several: boolean,
): Signature {
  const { argument, features = [] } = chosen.command;
  const { [camelCase(argument ?? '')]: _, ...own } = kindsOf(chosen);
  const declared = argument === undefined ? undefined : chosen.params[argument];
  const { first } = extentKinds;
  return {
    name: `${camelCase(method)}${several ? '.all' : ''}`,
    args: declared === undefined ? [] : [argumentOf(declared, several)],
    params: {
      noun: 'parameter',
      kinds: {
        ...own,
        ...Object.fromEntries(flags.map(({ name, about }) => [name, described(sentence(about), flag)])),
        ...(features.includes('oldest') && { first }),
        ...(isAboutData(chosen) && demandKinds),
        ...(hasUnits(chosen) && unitsKinds),
        ...(several && { skipMissing }),
      },
      ...(hasUnits(chosen) && { check: checkUnits }),
      required: Object.entries(chosen.params)
        .filter(([name, { required }]) => required && name !== argument)
        .map(([name]) => camelCase(name)),
    },
  };
}

/** A phrase of a help text as a sentence. */
function sentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}

function argumentOf(param: Param, several: boolean): Signature['args'][number] {
  return {
    name: param.placeholder ?? '',
    kind: param.namesSeries === true ? (several ? ofSeveralIds : ofOneSeries) : kindOf(param),
    isOptional: !param.required,
  };
}

function hasUnits({ command: { features } }: Operation): boolean {
  return features?.includes('units') === true;
}

function isAboutData({ members }: Operation): boolean {
  return members?.includes('covered_to') === true;
}

/** The operation, ids and parameters of a call; one without an argument is one query without an id. */
export function askedOf(operation: Operation, asked: readonly unknown[]) {
  const { argument, words } = operation.command;
  const others = operations.filter(
    ({ command }) =>
      command.flag !== undefined && command.words === words && operation.command.flag === undefined,
  );
  const { exact, maxAge, skipMissing = false, ...all } = valuesIn(asked[argument === undefined ? 0 : 1]);
  const isUnits = ([name]: readonly [string, unknown]) =>
    hasUnits(operation) && Object.hasOwn(unitsKinds, name);
  const given = Object.fromEntries(Object.entries(all).filter((entry) => !isUnits(entry)));
  const [chosen = operation, other] = others.filter(
    ({ command: { flag } }) => given[flag?.name ?? ''] === true,
  );
  if (other !== undefined)
    throw new Problem(
      'bad-input',
      `use either '${chosen.command.flag?.name}' or '${other.command.flag?.name}'`,
    );
  const flags = others.flatMap(({ command: { flag } }) => (flag === undefined ? [] : [flag]));
  const params = Object.fromEntries(
    Object.entries(given).filter(([param]) => !flags.some(({ name }) => name === param)),
  );
  const ids = argument === undefined ? [undefined] : [asked[0]].flat();
  return {
    chosen,
    flags,
    ids: ids.map((id) => (id === undefined ? undefined : String(id))),
    skipMissing: skipMissing === true,
    params,
    demands: { exact, maxAge } as Demands,
    transformation: hasUnits(operation) ? transformationIn(all) : undefined,
  };
}

function valuesIn(params: unknown): NamedValues {
  return typeof params === 'object' && params !== null ? { ...params } : {};
}
