import type { VNode } from 'preact';
import type { PageService } from './page-service.ts';
import type { PageState, StateChange } from './state.ts';

/** What a part of the page is given: the service, the way to another state, and how commands name the same data. */
export type PageContext = {
  readonly service: PageService;
  /** Changes state and address: leaving no way back (`replace`), or once nothing else changes (`soon`). */
  readonly go: (change: StateChange, how?: 'push' | 'replace' | 'soon') => void;
  /** Shows what is wrong above the view, until another state is shown. */
  readonly warn: (faults: readonly string[]) => void;
  readonly fail: (error: unknown) => void;
  /** The flags that name the store or the service. */
  readonly connection: { readonly [flag: string]: string };
};

/** A view whose data have come, which shows them in any state of its subject. */
export type OpenedView = { readonly title: string; readonly show: (state: PageState) => VNode };
