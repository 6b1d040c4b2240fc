import type { VNode } from 'preact';
import type { PageService } from './page-service.ts';
import type { PageState, StateChange } from './state.ts';

/** What a view needs of the page. */
export type PageContext = {
  readonly service: PageService;
  /** Changes state and address: with no way back (`replace`), or after a rest (`soon`). */
  readonly go: (change: StateChange, how?: 'push' | 'replace' | 'soon') => void;
  /** Shows faults above the view, until another state is shown. */
  readonly warn: (faults: readonly string[]) => void;
  readonly fail: (error: unknown) => void;
  /** The flags for the store or the service. */
  readonly connection: { readonly [flag: string]: string };
};

/** A view with its data, for any state of its subject. */
export type OpenedView = { readonly title: string; readonly show: (state: PageState) => VNode };
