import { randomBytes } from 'node:crypto';
import { latestDay, utcDay } from './model/date.ts';
import type { Envelope } from './model/envelope.ts';
import { formatCursor, parseCursor } from './operations/cursor.ts';
import type { Operation, Page, Principal } from './operations/operation.ts';
import { readParams } from './operations/params.ts';
import { Problem } from './problem.ts';
import type { Store } from './store/store.ts';

/** The texts of a request's parameters, path parameters included, in the order given. */
export type Given = readonly (readonly [name: string, text: string])[];

/** What a service needs from outside. */
export type ServiceOptions = {
  readonly store: Store;
  readonly clock?: () => Date;
  /** Where a plan can be upgraded; without it the detail says to ask the operator. */
  readonly billingUrl?: string;
};

/** Who uses a store of their own: may see everything, without limits. */
export const owner: Principal = {
  plan: 'owner',
  monthlyLimit: 2147483647,
  ratePerMinute: 2147483647,
  vintageAccess: true,
};

/** Answers operations from a store: the one place where parameters are read and plans are checked. */
export type Service = {
  /** The contract's envelope, or a Problem that carries the request's id and path; anything unforeseen is `internal-error`. */
  answer(operation: Operation, given: Given, principal: Principal): Promise<Envelope>;
};

/** A service over a store. */
export function createService({ store, clock = () => new Date(), billingUrl }: ServiceOptions): Service {
  return {
    async answer(operation, given, principal) {
      const requestId = newRequestId(clock());
      try {
        const page = await pageOf(operation, given, principal, { store, now: clock(), billingUrl });
        return envelope(operation, given, requestId, page);
      } catch (error) {
        throw foreseen(error).within({ requestId, instance: instanceOf(operation, given) });
      }
    },
  };
}

type Setting = { readonly store: Store; readonly now: Date; readonly billingUrl: string | undefined };

async function pageOf(
  operation: Operation,
  given: Given,
  principal: Principal,
  setting: Setting,
): Promise<Page> {
  const clock = { latest: latestDay(setting.now), today: utcDay(setting.now) };
  const values = readParams(operation.params, given, clock);
  operation.check(values);
  const cursor = given.find(([name]) => name === 'cursor')?.[1];
  const position = cursor === undefined ? undefined : parseCursor(cursor, operation.name, given);
  if (!principal.vintageAccess && operation.needsVintageAccess(values))
    throw upgradeRequired(principal, setting.billingUrl);
  return operation.run(values, { store: setting.store, principal, clock, ...(position && { position }) });
}

function upgradeRequired({ plan }: Principal, billingUrl: string | undefined): Problem {
  const way = billingUrl === undefined ? 'ask the operator of this service' : `upgrade at ${billingUrl}`;
  return new Problem(
    'plan-upgrade-required',
    `point-in-time queries need the pro plan or higher; this key is on '${plan}': ${way}`,
  );
}

function envelope(operation: Operation, given: Given, requestId: string, page: Page): Envelope {
  return {
    object: operation.object,
    request_id: requestId,
    status: 'ok',
    ...(page.asOf !== undefined && { as_of: page.asOf }),
    ...(page.series !== undefined && { series: page.series }),
    results: page.rows,
    results_count: page.rows.length,
    has_more: page.next !== undefined,
    ...(page.next !== undefined && { next_cursor: formatCursor(page.next, operation.name, given) }),
  };
}

function foreseen(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem('internal-error', 'an internal error occurred', { cause: error });
}

function instanceOf(operation: Operation, given: Given): string {
  return operation.path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(given.find(([key]) => key === name)?.[1] ?? ''),
  );
}

/** `req_` and the hex digits of a time-ordered UUID (version 7), so that ids sort as requests came. */
function newRequestId(now: Date): string {
  const id = randomBytes(16);
  id.writeUIntBE(now.getTime(), 0, 6);
  id[6] = ((id[6] ?? 0) & 0x0f) | 0x70;
  id[8] = ((id[8] ?? 0) & 0x3f) | 0x80;
  return `req_${id.toString('hex')}`;
}
