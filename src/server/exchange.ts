import { newRequestId } from '../service/service.ts';
import type { Admission } from './keys/gate.ts';

/** One request on its way to its answer: what headers and the log say of it, filled in as the checks are passed. */
export type Exchange = {
  readonly requestId: string;
  readonly now: Date;
  readonly request: Request;
  /** The pattern of the endpoint, never the path itself: a path may hold what does not belong into a log. */
  route?: string;
  admission?: Admission;
};

/** The exchange that a request begins. */
export function beginExchange(request: Request, now: Date): Exchange {
  return { requestId: newRequestId(now), now, request };
}
