import type { Command } from 'commander';
import type { Operation } from '../../operations/operation.ts';
import { Problem } from '../../problem.ts';
import { answer, type Failure, outcomeCode, type Question } from '../answer.ts';
import { type DataFlags, outputChoice, withDataFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import type { Given } from '../pages.ts';
import { givenBy, type RequestFlags, withRequestFlags } from '../request.ts';
import { type Session, withSession } from '../session.ts';
import { reportFailure } from '../talk.ts';

/** The flags of a command that asks an operation. */
export type QueryFlags = DataFlags & RequestFlags & { readonly sort?: 'desc' | 'asc' };

/** What a command adds to the operation that it asks. */
export type QueryCommand = {
  /** Flags that are no parameter of the operation. */
  readonly addFlags?: (command: Command) => void;
  /** The questions to ask, from what was typed and the parameters that the flags give. */
  readonly questions?: (
    typed: readonly string[],
    given: Given,
    flags: QueryFlags,
    session: Session,
  ) => Promise<readonly Question[]>;
  /** A better error for a question that failed. */
  readonly explain?: (failure: Failure, session: Session) => Promise<unknown>;
};

/** The command of an operation: its flags and arguments come from the operation, what is special from `special`. */
export function queryCommand(
  command: Command,
  operation: Operation,
  special: QueryCommand,
  io: Io,
  done: (code: number) => void,
): void {
  withRequestFlags(withDataFlags(command), operation);
  special.addFlags?.(command);
  command.action(async () => {
    const flags = command.opts<QueryFlags>();
    done(await runQuery(operation, special, command.args, flags, io));
  });
}

async function runQuery(
  operation: Operation,
  special: QueryCommand,
  typed: readonly string[],
  flags: QueryFlags,
  io: Io,
): Promise<number> {
  const output = outputChoice(flags, io);
  if (flags.all === true && flags.limit !== undefined)
    throw new Problem('bad-input', 'use either --all or --limit');
  return withSession(flags, io, async (session) => {
    const given = givenBy(flags, operation, io, session.talk);
    const questions = await (special.questions ?? onlyQuestion(operation))(typed, given, flags, session);
    if (flags.cursor !== undefined && questions.length !== 1) {
      throw new Problem('bad-input', '--cursor continues one series: name one id');
    }
    const explain = special.explain ?? (async ({ error }: Failure) => error);
    const [first] = questions;
    const started = performance.now();
    const outcome = await answer({
      client: session.client,
      operation,
      questions,
      extent: { limit: flags.limit, cursor: flags.cursor },
      everything: flags.all === true,
      ascending: flags.sort === 'asc',
      output,
      io,
      talk: session.talk,
    }).catch(async (error) => {
      throw questions.length === 1 && first !== undefined
        ? await explain({ label: first.label, error }, session)
        : error;
    });
    session.talk.detail(`asof: ${outcome.rows} rows in ${Math.round(performance.now() - started)} ms`);
    const codes: number[] = [];
    for (const failure of outcome.failures)
      codes.push(reportFailure(await explain(failure, session), flags, io));
    return outcomeCode(outcome, output.failEmpty, codes[0]);
  });
}

/** The one question of an operation whose command takes at most one argument. */
function onlyQuestion({ command: { argument } }: Operation) {
  return async ([text]: readonly string[], given: Given): Promise<readonly Question[]> => {
    const typed: Given = argument === undefined || text === undefined ? [] : [[argument, text]];
    return [{ given: [...typed, ...given], label: text ?? '' }];
  };
}
