/** The embedded service over a store in memory, called over HTTP, with responses checked against the catalogue. */

import { expect } from 'vitest';
import { createServiceApp } from '#service/app.ts';
import { generate } from '#service/demo/generate.ts';
import { demoSource } from '#service/demo/source.ts';
import type { RoleName } from '#service/roles.ts';
import { type Listening, listen } from '#service/server.ts';
import { openStore, type SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import { type AnswerOf, BASE_PATH, type EndpointName, endpointOf } from '#shared/api/catalogue.ts';
import { pathOf, searchOf } from '#shared/api/path.ts';

const TOKEN = 'a-token-for-the-tests';

export interface Call {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

export class Served {
  now: number;
  readonly store: SqliteStore;
  /** Feature flags of the connection. */
  flags: Readonly<Record<string, boolean>> = {};
  private readonly servers = new Map<RoleName, Listening>();

  /** `anchor`: milliseconds, "now" of the tenant. */
  constructor(anchor: number, store = openStore({ path: ':memory:' }, demoSource)) {
    this.store = store;
    this.now = anchor + 60_000;
  }

  static async demo(anchor: number, emails = 600, seed = 5): Promise<Served> {
    const served = new Served(anchor);
    await generate(served.store, { emails, seed, anchor });
    return served;
  }

  private async origin(role: RoleName): Promise<string> {
    const app = createServiceApp(this.store, {
      token: TOKEN,
      now: () => this.now,
      caller: 'tester',
      role,
      flags: () => this.flags,
    });
    const server = this.servers.get(role) ?? (await listen(app, 0));
    this.servers.set(role, server);
    return `http://127.0.0.1:${server.port}`;
  }

  async close(): Promise<void> {
    for (const server of this.servers.values()) await server.close();
    this.store.close();
  }

  async raw(name: EndpointName, call: Call = {}, role: RoleName = 'admin'): Promise<Response> {
    const { params = {}, query = {}, body } = call;
    return fetch(`${await this.origin(role)}${pathOf(name, params)}${searchOf(query)}`, {
      method: endpointOf(name).method,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** A multipart call. */
  async form(name: EndpointName, form: FormData, role: RoleName = 'admin'): Promise<Response> {
    return fetch(`${await this.origin(role)}${pathOf(name, {})}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: form,
    });
  }

  /** The response, checked against the catalogue's schema. */
  async call<N extends EndpointName>(name: N, call: Call = {}): Promise<AnswerOf<N>> {
    const response = await this.raw(name, call);
    const answer: unknown = await response.json();
    expect([name, response.status, response.status === 200 ? null : answer]).toEqual([name, 200, null]);
    return endpointOf(name).response.parse(answer) as AnswerOf<N>;
  }

  async refused(name: EndpointName, call: Call, role: RoleName = 'admin'): Promise<[number, unknown]> {
    const response = await this.raw(name, call, role);
    return [response.status, await response.json()];
  }

  /** Requests a path below the service's base. */
  async at(path: string): Promise<Response> {
    return fetch(`${await this.origin('admin')}${BASE_PATH}${path}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
  }

  /** The first value of a query. */
  one(sql: string, ...values: (string | number)[]): string {
    return String(
      this.store.db
        .prepare(sql)
        .pluck()
        .get(...values),
    );
  }
}
