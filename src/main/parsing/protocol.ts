/** What travels between the main thread and one that parses for it. One thread per task. */
import type { EndpointName } from '#shared/api/catalogue.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { Query, QueryConfig } from '#shared/model/entities.ts';

/** Names the config of a domain of an app. */
export interface AskedConfig {
  domain: string;
  saas?: string | null | undefined;
}

/** What a query file is compared with, as it travels between threads. */
export interface CompareWith {
  saved: readonly Query[];
  configs: ReadonlyMap<string, QueryConfig | null>;
}

export type Task =
  /** The JSON answer of a call, held against its schema. */
  | { kind: 'answer'; bytes: Uint8Array; contentType: string; endpoint: EndpointName }
  /** A query file; compared, where `compares`, with what the main thread is asked for. */
  | { kind: 'query-file'; bytes: Uint8Array; name: string; compares: boolean };

export type FromParser =
  /** What the file is to be compared with is wanted: a `compare` answers. */
  | { type: 'ask'; configs: AskedConfig[] }
  /** The value without the items of its long lists, which follow; a `more` asks for each next message. */
  | { type: 'value'; holder: { value: unknown } }
  | { type: 'items'; at: readonly string[]; items: unknown[] }
  | { type: 'end' }
  | { type: 'fail'; error: BridgeError };

export type ToParser = { type: 'more' } | { type: 'compare'; with: CompareWith };
