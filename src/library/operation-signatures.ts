import type { Demands } from '../analysis/basis.ts';
import {
  aggregations,
  coarserFrequencies,
  type Transformation,
  type TransformationParams,
  transformationOf,
  unitsChoices,
} from '../domain/series/transformation.ts';
import { Problem } from '../errors/problem.ts';
import { operations } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import { camelCase, type Param } from '../operations/param.ts';
import { choice, flag, integer, type NamedValues } from '../operations/value.ts';
import {
  demandKinds,
  described,
  extentKinds,
  type Kinds,
  kindsOf,
  ofOneSeries,
  ofSeveralIds,
  skipMissing,
} from './arguments.ts';
import type { Signature } from './call.ts';

/** The kinds of the parameters that transform values. */
const unitsKinds: Kinds<TransformationParams> = {
  units: described(
    "A change, a growth rate or a logarithm, by FRED's names and formulas.",
    choice(unitsChoices),
  ),
  digits: described('Decimal places of computed values.', integer(0, 20)),
  frequency: described('A coarser frequency, to which values are aggregated.', choice(coarserFrequencies)),
  aggregate: described('Average, sum, or the value at the end of a period.', choice(aggregations)),
  partial: described('Also gives periods that are not complete.', flag),
};

/** Refuses parameters of units without the parameters that they need. */
function checkUnits(values: NamedValues): void {
  transformationIn(values);
}

/** The transformation that checked parameters ask for. */
function transformationIn(values: NamedValues): Transformation | undefined {
  return transformationOf(values as TransformationParams);
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
    kind:
      param.namesSeries === true
        ? several
          ? ofSeveralIds
          : ofOneSeries
        : described(param.description, param),
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
