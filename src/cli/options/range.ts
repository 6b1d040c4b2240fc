import type { Day } from '../../domain/series/date.ts';
import type { ParamTexts } from '../../operations/param.ts';
import { checkRange, dayParam } from '../../operations/params.ts';
import type { Io } from '../terminal/io.ts';
import type { Talk } from '../terminal/messages.ts';
import { datedText } from './knowledge.ts';

/** The flags that bound dates, as commander reads them. */
export type RangeFlags = { readonly from?: string; readonly to?: string };

/** The days that `--from` and `--to` name, in order; a Problem like the contract's where they are none. */
export function typedRange(
  flags: RangeFlags,
  io: Io,
  talk: Talk,
): { readonly from?: Day; readonly to?: Day } {
  const [from, to] = [bound('from', flags.from, io, talk), bound('to', flags.to, io, talk)];
  checkRange(from, to);
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/** The same as parameters of a request. */
export function dateBounds(flags: RangeFlags, io: Io, talk: Talk): ParamTexts {
  return Object.entries(typedRange(flags, io, talk));
}

function bound(name: string, text: string | undefined, io: Io, talk: Talk): Day | undefined {
  if (text === undefined) return undefined;
  return dayParam('').parse(datedText(name, text, io, talk), name, { latest: '', today: '' });
}
