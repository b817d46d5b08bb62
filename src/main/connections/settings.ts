/** Validates and normalises the settings of a connection before they are stored or sent. */
import { X509Certificate } from 'node:crypto';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { ConnectionSettings } from '#shared/bridge/operations.ts';
import { authServersOf, authServersProblem } from '#shared/model/auth-servers.ts';
import { credentialProblem } from '#shared/model/credential.ts';
import { serviceBase } from '../upstream/address.ts';

/** Whether a typed address results in the same base URL; an invalid one is refused when it is saved. */
export function sameAddress(saved: string, typed: string | null): boolean {
  try {
    return typed !== null && serviceBase(typed) === saved;
  } catch {
    return false;
  }
}

export const invalid = (field: string, message: string) =>
  new ParapetError('invalid-input', message, { data: { field: `settings.${field}` } });

/** Settings as stored: URL and server names normalised, certificate parsed. */
export function checkSettings(input: ConnectionSettings): ConnectionSettings {
  const { authorityPem } = input;
  const distrust = authServersProblem(input.authServers);
  if (distrust !== null) throw invalid('authServers', distrust);
  const settings = { ...input, authServers: authServersOf(input.authServers) };
  if (settings.kind !== 'tenant') return { ...settings, url: null, authorityPem: null };
  if (settings.url === null || settings.url.trim() === '')
    throw invalid('url', 'A tenant needs the address of its service.');
  if (authorityPem !== null) {
    try {
      new X509Certificate(authorityPem);
    } catch {
      throw invalid(
        'authorityPem',
        'That is not a certificate in PEM form. It begins with -----BEGIN CERTIFICATE-----.',
      );
    }
  }
  return { ...settings, url: serviceBase(settings.url) };
}

/** Normalises a credential. Rejects characters that an HTTP header cannot contain, such as a pasted line break. */
export function checkCredential(credential: string | null): string | null {
  const problem = credential === null ? null : credentialProblem(credential);
  if (problem !== null) throw new ParapetError('invalid-input', problem, { data: { field: 'credential' } });
  return credential?.trim() ?? null;
}
