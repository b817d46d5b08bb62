/** What every service of the core is given. Plain data and functions; createApp in app.ts builds it once. */
import type { AnswerOf, EndpointName, Request } from '#shared/api/catalogue.ts';
import type { Freshness } from '#shared/bridge/freshness.ts';
import type { AppEvent, Connection } from '#shared/bridge/operations.ts';
import type { Database } from '../store/database.ts';
import type { ChosenPath, Ports } from './ports.ts';

export interface Answer<N extends EndpointName> {
  data: AnswerOf<N>;
  freshness: Freshness;
}

/** Calls to the service of a connection. All reject with ParapetError. */
export interface Upstream {
  /** Straight to the service, nothing cached: paging, changes. Offline: rejects `offline` without a request. */
  send<N extends EndpointName>(
    connectionId: string,
    endpoint: N,
    request: Request<N>,
    options?: { signal?: AbortSignal; retry?: boolean },
  ): Promise<AnswerOf<N>>;
  /** A blob answer, at most `maxBytes`. */
  blob(
    connectionId: string,
    endpoint: EndpointName,
    request: Request<EndpointName>,
    options?: { signal?: AbortSignal; maxBytes?: number },
  ): Promise<Uint8Array>;
  /** A multipart call with one form file. */
  upload<N extends EndpointName>(
    connectionId: string,
    endpoint: N,
    file: { name: string; bytes: Uint8Array },
    options?: { signal?: AbortSignal },
  ): Promise<AnswerOf<N>>;
  /** true: by choice or because the service does not answer. */
  isOffline(connectionId: string): boolean;
}

export interface Grants {
  /** Registers what a dialog chose; the id opens it once. */
  issue(chosen: ChosenPath): { grantId: string; name: string };
  /** Rejects `not-allowed` for an id that is unknown or used. */
  redeem(grantId: string): ChosenPath;
}

export interface Context {
  ports: Ports;
  cache: Database;
  workspace: Database;
  upstream: Upstream;
  grants: Grants;
  connection(id: string): Connection;
  publish(event: AppEvent): void;
  /** The whole cache's limit and use changed by a service's own tables. */
  cacheChanged(): void;
}
