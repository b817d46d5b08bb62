/** What the caller's role forbids, as reported with the list of queries, and what the policy has turned off. */
import { useRead } from '#renderer/bridge/use-read.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { type CallSubject, callRefusal } from '#shared/api/access.ts';
import type { EndpointName } from '#shared/api/catalogue.ts';
import { useClearFilesOff } from './app-info.ts';
import { useConnection } from './connection.ts';
import { sendRefusal } from './respond.ts';

/** Why the role may not make a call, or null if it may, or the service does not report roles. */
type RoleRefusal = (call: EndpointName, subject?: CallSubject) => string | null;

/** Calls whose responses are written to files unencrypted. */
const CLEAR_FILES: readonly EndpointName[] = [
  'query.export',
  'query.export-results',
  'query.export-active-users',
];

export function useRoleRefusal(): RoleRefusal {
  const { data } = useRead('query.list', { query: {} });
  const clearFilesOff = useClearFilesOff();
  return (call, subject) =>
    (CLEAR_FILES.includes(call) ? clearFilesOff : null) ?? callRefusal(data?.caller, call, subject);
}

/** Why a call cannot be sent now: the connection or the role forbids it. */
export function useSendRefusal(): RoleRefusal {
  const { reach, connection } = useConnection();
  const refused = useRoleRefusal();
  return (call, subject) => sendRefusal(reach, connection?.kind) ?? refused(call, subject);
}

/** Runs a key's action unless it is refused; then shows the reason, as its button's tooltip does. */
export function unlessRefused(refusal: string | null, run: () => void): void {
  if (refusal === null) run();
  else showToast({ intent: 'caution', title: 'Not allowed for your role', detail: refusal });
}
