/** What the caller's role may not do, as the service tells it with the list of queries, and what the policy has off. */
import { useRead } from '#renderer/bridge/use-read.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { type CallSubject, callRefusal } from '#shared/api/access.ts';
import type { EndpointName } from '#shared/api/catalogue.ts';
import { useClearFilesOff } from './app-info.ts';
import { useConnection } from './connection.ts';
import { sendRefusal } from './respond.ts';

/** Why a call is not for the role; null: it is, or the service does not say. */
type RoleRefusal = (call: EndpointName, subject?: CallSubject) => string | null;

/** Their answers become files as they are. */
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

/** Why a call cannot be sent now: nothing can, or it is not for the role. */
export function useSendRefusal(): RoleRefusal {
  const { reach, connection } = useConnection();
  const refused = useRoleRefusal();
  return (call, subject) => sendRefusal(reach, connection?.kind) ?? refused(call, subject);
}

/** What a key does unless it is refused; then why is said, as the tooltip of its button does. */
export function unlessRefused(refusal: string | null, run: () => void): void {
  if (refusal === null) run();
  else showToast({ intent: 'caution', title: 'Not for your role', detail: refusal });
}
