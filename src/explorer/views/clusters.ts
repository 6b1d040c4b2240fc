import { html } from 'htm/preact';
import type { TargetedEvent, VNode } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { counted, grouped } from '../../errors/wording.ts';
import { DataList, type DataSource } from '../downloads.ts';
import { DayField, Field } from '../fields.ts';
import {
  type AskedParams,
  cell,
  type OpenedView,
  type PageContext,
  type ServedRow,
  ServiceFailure,
} from '../page-service.ts';
import type { PageState, StateChange } from '../state.ts';
import { DataTable } from './data-table.ts';

const tradeFields = {
  Traded: 'transaction_date',
  Filed: 'filing_date',
  Insider: 'owner_name',
  Shares: 'shares',
  Price: 'price_per_share',
  Verdict: 'verdict',
  Reason: 'reason',
};

const tradeHeads = Object.keys(tradeFields);

const tradeWords = tradeHeads.filter((head) => head !== 'Shares' && head !== 'Price');

/** Opens the clusters; the state on show decides which are requested. */
export function openClusters(context: PageContext): OpenedView {
  return {
    title: 'Clusters of insiders',
    show: (state) => html`<${ClustersView} ...${{ context, state }} />`,
  };
}

type ClustersViewProps = { readonly context: PageContext; readonly state: PageState };

function ClustersView({ context, state }: ClustersViewProps): VNode {
  const asked = {
    as_of: state['as-of'],
    ticker: state.ticker?.toUpperCase(),
    min_insiders: state['min-insiders'],
    days: state.days,
    from: state.from,
    to: state.to,
    limit: '100',
  };
  const question = JSON.stringify(asked);
  const none: readonly ServedRow[] = [];
  const [answer, setAnswer] = useState({ question: '', found: '', rows: none });
  useLayoutEffect(() => {
    let isLatest = true;
    const ask = async () => {
      try {
        const { rows, hasMore } = await context.service.page('insider/clusters', asked);
        const newest = `The newest ${rows.length} clusters; narrow the search to see others.`;
        const found = hasMore ? newest : counted(rows.length, 'cluster');
        if (isLatest) setAnswer({ question, found, rows });
      } catch (error) {
        if (!isLatest) return;
        setAnswer({ question, found: '', rows: none });
        // The fields stay, so that a wrong one can be changed.
        if (error instanceof ServiceFailure && error.status === 400) context.warn([`${error.message}.`]);
        else context.fail(error);
      }
    };
    void ask();
    return () => {
      isLatest = false;
    };
  }, [question]);
  // An answer does not disturb typing.
  const fields = useMemo(() => html`<${ClusterFields} ...${{ context, state }} />`, [context, state]);
  return html`
    <article aria-busy=${answer.question === question ? undefined : 'true'}>
      <h1>Clusters of insiders</h1>
      <p class="facts">Officers and directors of one company who bought its shares within days of each other.</p>
      ${fields}
      <${DataList} context=${context} sources=${sourcesOf(asked)} />
      <p class="facts" role="status">${answer.found}</p>
      <div class="clusters">
        ${answer.rows.map((row) => {
          const isOpen = nameOf(row) === state.open;
          const key = `${answer.question} ${nameOf(row)}`;
          return html`<${Cluster} key=${key} ...${{ context, row, asked, isOpen }} />`;
        })}
      </div>
    </article>`;
}

function ClusterFields({ context, state }: ClustersViewProps): VNode {
  type Name = keyof StateChange;
  const dayField = (label: string, name: Name) => html`
    <${DayField} label=${label} day=${state[name]} onDay=${(day: string) => context.go({ [name]: day }, 'soon')} />`;
  const textField = (label: string, name: Name, attributes: object) => html`
    <${Field} label=${label}>
      <input autocomplete="off" ...${attributes} value=${state[name] ?? ''}
        onChange=${({ currentTarget }: TargetedEvent<HTMLInputElement>) => context.go({ [name]: currentTarget.value.trim() })} />
    <//>`;
  return html`
    <div class="controls">
      ${dayField('As of', 'as-of')}
      ${textField('Ticker', 'ticker', { size: 8, spellcheck: false })}
      ${textField('Insiders at least', 'min-insiders', { type: 'number', min: 1, max: 99, placeholder: '3' })}
      ${textField('Within days', 'days', { type: 'number', min: 1, max: 365, placeholder: '14' })}
      ${dayField('Last trade from', 'from')}
      ${dayField('to', 'to')}
    </div>`;
}

type ClusterProps = {
  readonly context: PageContext;
  readonly row: ServedRow;
  readonly asked: AskedParams;
  readonly isOpen: boolean;
};

/** Shows a cluster; its trades are requested when it is first opened. */
function Cluster({ context, row, asked, isOpen }: ClusterProps): VNode {
  const [trades, setTrades] = useState<readonly ServedRow[]>();
  const explain = async () => {
    setTrades([]);
    const last = cell(row, 'date_last');
    const { min_insiders, days, as_of } = asked;
    const params = { min_insiders, days, as_of, ticker: cell(row, 'ticker'), from: last, to: last };
    try {
      const all = await context.service.rows('insider/clusters/explanations', params);
      setTrades(all.filter((one) => nameOf(one) === nameOf(row)));
    } catch (error) {
      setTrades(undefined);
      context.fail(error);
    }
  };
  const toggle = ({ currentTarget: { open } }: TargetedEvent<HTMLDetailsElement>) => {
    if (open && trades === undefined) void explain();
    if (open !== isOpen) context.go({ open: open ? nameOf(row) : '' }, 'replace');
  };
  const [first, last, value, detected] = ['date_first', 'date_last', 'total_value', 'detected_on'].map(
    (name) => cell(row, name),
  );
  const facts = [
    `${cell(row, 'cluster_size')} insiders`,
    first === last ? first : `${first} to ${last}`,
    ...(value ? [`$${grouped(value)}`] : []),
    ...(detected ? [`public on ${detected}`] : []),
  ];
  return html`
    <details open=${isOpen} onToggle=${toggle}>
      <summary>
        <span class="id">${cell(row, 'ticker') || '(no ticker)'}</span>${' '}
        <span class="issuer">${cell(row, 'issuer_name')}</span>${' '}
        <span class="facts">${facts.join(' · ')}</span>
      </summary>
      <div class="trades">
        ${
          trades !== undefined &&
          html`
            <${DataTable} caption="The trades of the cluster and those near it, by trade date"
              heads=${tradeHeads} words=${tradeWords} rows=${trades.length}
              cellsOf=${(i: number) => Object.values(tradeFields).map((name) => cell(trades[i], name))} />`
        }
      </div>
    </details>`;
}

function sourcesOf(params: AskedParams): readonly DataSource[] {
  const file = `clusters${params.as_of === undefined ? '' : `-as-of-${params.as_of}`}`;
  const [words, path] = [['insider', 'clusters'], 'insider/clusters'];
  const explained = { words: [...words, '--explain'], path: `${path}/explanations`, params };
  return [
    { name: 'Clusters', words, path, params, file },
    { name: 'Explained', ...explained, file: `${file}-explained` },
  ];
}

/** Returns the name of a cluster in an answer: its company and its first trade. */
function nameOf(row: ServedRow): string {
  return `${cell(row, 'issuer_cik')} ${cell(row, 'date_first')}`;
}
