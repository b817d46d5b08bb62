/** The running product for benches: a separate host, a bridge to it over its real wire, and the service as a process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { createBridge } from '#shared/bridge/client.ts';
import type { Connection } from '#shared/bridge/operations.ts';
import { type Host, startHost } from '../e2e/host.ts';
import { openPage } from '../support/page.ts';

const root = path.resolve(import.meta.dirname, '../..');

interface ServiceProcess {
  /** With `/api/v1`. */
  base: string;
  token: string;
  stop(): Promise<void>;
}

/** The embedded service in a separate process, so that a raw fetch can reach it. */
async function startService(emails: number): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ['src/service/cli.ts', '--port', '0', '--emails', String(emails)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const service = Promise.withResolvers<[base: string, token: string]>();
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    const match = /Service ready: (\S+)\s+Token: (\S+)/.exec(output);
    if (match?.[1] && match[2]) service.resolve([match[1], match[2]]);
  });
  child.once('exit', (code) => service.reject(new Error(`The service ended with ${code}: ${output}`)));
  const [base, token] = await service.promise;
  return {
    base,
    token,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** A bridge like the window's. */
async function openBridge(host: Host): Promise<{ bridge: Bridge; close(): void }> {
  const url = new URL(host.url);
  const token = url.hash.slice('#token='.length);
  const { socket } = await openPage(url.origin, token);
  const bridge = createBridge({
    send: (frame) => socket.send(JSON.stringify(frame)),
    onFrame: (handler) => void socket.on('message', (data) => handler(JSON.parse(String(data)))),
    onClose: (handler) => void socket.on('close', handler),
  });
  return { bridge, close: () => socket.close() };
}

export interface Product {
  host: Host;
  bridge: Bridge;
  connection: Connection;
  service: ServiceProcess;
  /** The same call without Parapet. */
  raw(call: string, body?: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** A host connected to a service of `emails`. */
export async function startProduct(emails: number): Promise<Product> {
  const service = await startService(emails);
  const host = await startHost({ connect: 'none' });
  const { bridge, close } = await openBridge(host);
  const connection = await bridge.call('connections.save', {
    id: null,
    settings: {
      name: 'Bench',
      kind: 'tenant',
      url: new URL(service.base).origin,
      authorityPem: null,
      authServers: [],
      flags: {},
      product: 'guard',
      timezone: null,
    },
    credential: service.token,
    grantId: null,
  });
  await bridge.call('connections.activate', { id: connection.id });
  return {
    host,
    bridge,
    connection,
    service,
    async raw(call, body) {
      const answer = await fetch(`${service.base}${call}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${service.token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${call} answered ${answer.status}: ${await answer.text()}`);
      return answer.json();
    },
    async stop() {
      close();
      await host.stop();
      await service.stop();
    },
  };
}

/** All mail, newest first, as the Queries screen requests it. */
export const allMail = {
  query_domain: 'email',
  saas_id: 'all',
  query_entity_type: 'email',
  condition: { operator: 'and' as const, conditions: [] },
  columns: ['received', 'verdict', 'subject', 'from_email', 'to', 'size'],
  sort_by: [],
  include_copies: false,
};

/** Connects the product to another address of its service, and shows that connection. */
export async function connectTo(
  { bridge, connection, service }: Product,
  url: string,
  name: string,
): Promise<void> {
  const { id } = await bridge.call('connections.save', {
    id: null,
    settings: {
      name,
      kind: 'tenant',
      url,
      authorityPem: null,
      authServers: [],
      flags: {},
      product: connection.product,
      timezone: null,
    },
    credential: service.token,
    grantId: null,
  });
  await bridge.call('connections.activate', { id });
}
