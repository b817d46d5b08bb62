/** Parapet's own checks of a tenant's mail, beside its service's tools. */
import { useEffect, useState } from 'react';
import { useConnection } from '#renderer/state/connection.ts';
import { whenIdle } from '#renderer/ui/idle.ts';
import type { TenantMail } from '#shared/checks/tenant-mail.ts';
import type { EmailEvidence } from '#shared/model/entities.ts';
import type { EmailReads } from './use-email.ts';

/** What the checks find, as it is stored for a mail of evidence, and the verdict that it adds up to. */
type OwnChecks = Pick<EmailEvidence, 'findings' | 'score' | 'unchecked'> & {
  verdict: 'found' | 'suspicious' | null;
};

/** Checks a mail once all that they read has been loaded or refused; null until then, or if none of it can be had. */
export function useOwnChecks({ parsed, headers, body, attachments }: EmailReads): OwnChecks | null {
  const believed = useConnection().connection?.authServers;
  const [assessment, setAssessment] = useState<OwnChecks | null>(null);
  const fields = parsed?.headers.headers ?? null;
  const text = body.data ?? null;
  const files = attachments.data?.rows ?? null;
  const isSettled = [headers, body, attachments].every(
    ({ data, error }) => data !== undefined || error !== null,
  );
  const isKnown = fields !== null || text !== null;
  useEffect(() => {
    setAssessment(null);
    if (!isSettled || !isKnown) return undefined;
    let cancel: () => void = () => undefined;
    let isOver = false;
    const mail: TenantMail = { headers: fields, body: text, attachments: files, believed };
    // Loaded with the first mail: no other screen needs the checks and their lists.
    void import('#shared/checks/tenant-mail.ts').then(({ assessTenantMail }) => {
      if (isOver) return;
      cancel = whenIdle(() => {
        const { findings, ...sum } = assessTenantMail(mail);
        setAssessment({
          ...sum,
          findings: findings.map(({ place, ...finding }) => ({ ...finding, place: { ...place } })),
        });
      });
    });
    return () => {
      isOver = true;
      cancel();
    };
  }, [isSettled, isKnown, fields, text, files, believed]);
  return assessment;
}
