import type { WindowName } from '../../store/access-store.ts';

const minute = 60_000;
const day = 86_400_000;

/** The fixed windows of quotas on UTC, shortest first: where the one that holds an instant begins and ends, in milliseconds. */
export const windows: readonly {
  readonly name: WindowName;
  readonly startOf: (instant: number) => number;
  readonly endOf: (start: number) => number;
}[] = [
  { name: 'minute', startOf: (instant) => instant - (instant % minute), endOf: (start) => start + minute },
  { name: 'day', startOf: (instant) => instant - (instant % day), endOf: (start) => start + day },
  { name: 'month', startOf: (instant) => monthOf(instant, 0), endOf: (start) => monthOf(start, 1) },
];

function monthOf(instant: number, later: number): number {
  const date = new Date(instant);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
}
