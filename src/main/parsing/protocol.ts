/** Messages between the main thread and a parsing thread. One thread per task. */
import type { Asked } from '#shared/api/answer-forms.ts';
import type { EndpointName } from '#shared/api/catalogue.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { Query, QueryConfig } from '#shared/model/entities.ts';
import type { RuleKind } from '#shared/rules/rule.ts';

/** Identifies the query config of an app's domain. */
export interface AskedConfig {
  domain: string;
  saas?: string | null | undefined;
}

/** What a query file is compared with. */
export interface CompareWith {
  saved: readonly Query[];
  configs: ReadonlyMap<string, QueryConfig | null>;
}

export type Task =
  /** A JSON response, validated against its endpoint's schema. */
  | { kind: 'answer'; bytes: Uint8Array; contentType: string; endpoint: EndpointName; asked: Asked }
  /** A query file; with `compares`, the thread asks for what to compare it with. */
  | { kind: 'query-file'; bytes: Uint8Array; name: string; compares: boolean }
  /** A file of rules, or a list of indicators. */
  | { kind: 'rule-file'; bytes: Uint8Array; name: string }
  /** The text of a rule that the analyst entered. */
  | { kind: 'rule-text'; bytes: Uint8Array; of: Exclude<RuleKind, 'conditions'> };

export type FromParser =
  /** Asks for what the file is to be compared with; answered by `compare`. */
  | { type: 'ask'; configs: AskedConfig[] }
  /** The value without the items of its long lists, which follow; each `more` requests the next message. */
  | { type: 'value'; holder: { value: unknown } }
  | { type: 'items'; path: readonly string[]; items: unknown[] }
  | { type: 'end' }
  | { type: 'fail'; error: BridgeError };

export type ToParser = { type: 'more' } | { type: 'compare'; with: CompareWith };

/** What is wrong with the text of a rule, or how it is stored. */
export interface InspectedText {
  problem: { message: string; line: number | null } | null;
  /** What the rule cannot do here, or which lines of a list are left out. */
  notes: string[];
  /** Of a list of indicators: what is stored of it. */
  list: { text: string; count: number; digest: string } | null;
}

export const refusedText = (message: string, line: number | null = null): InspectedText => ({
  problem: { message, line },
  notes: [],
  list: null,
});
