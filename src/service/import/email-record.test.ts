import { describe, expect, it } from 'vitest';
import { parseMessage } from '../formats/mail/parse.ts';
import { recordOf } from './email-record.ts';

async function addressOf(...lines: string[]): Promise<string> {
  const raw = Buffer.from(['From: a@x.example', ...lines, '', 'Hello', ''].join('\r\n'));
  const result = await parseMessage(raw);
  if (!result.ok) throw new Error(result.reason);
  const [scan] = recordOf(result.mail, raw, 'a'.repeat(64)).scans;
  if (scan?.code !== 'nothing-found') return scan?.code ?? 'no code';
  // A header that says clean is only reported.
  return scan.summary === undefined ? 'nothing' : 'reported';
}

describe('the finding of the provider', () => {
  it.each([
    ['X-MS-Exchange-Organization-SCL: 9', 'spm'],
    ['X-MS-Exchange-Organization-SCL: 5', 'spm'],
    ['X-MS-Exchange-Organization-SCL: 4', 'reported'],
    ['X-MS-Exchange-Organization-SCL: -1', 'reported'],
    ['X-MS-Exchange-Organization-SCL: nine', 'nothing'],
    ['X-MS-Exchange-Organization-PCL: 8', 'phsh'],
    ['X-Forefront-Antispam-Report: CIP:1.2.3.4;SCL:9;CAT:HPHISH;', 'hphsh'],
    ['X-Forefront-Antispam-Report: SCL:6', 'spm'],
    ['X-Spam-Status: Yes, score=12.1 required=5.0', 'spm'],
    ['X-Spam-Status: No, score=0.1', 'reported'],
    ['X-Spam-Flag: YES', 'spm'],
    ['X-Spam: Yes', 'spm'],
    ['X-Barracuda-Spam-Status: Yes, SCORE=7.00', 'spm'],
    ['X-Barracuda-Spam-Status: No, SCORE=0.00', 'reported'],
    ['X-Proofpoint-Spam-Details: rule=spam policy=default score=100', 'spm'],
    ['X-Proofpoint-Spam-Details: rule=inbound_phish policy=inbound score=99', 'phsh'],
    ['X-Proofpoint-Spam-Details: rule=notspam policy=default score=0', 'reported'],
    ['X-Mimecast-Spam-Score: 28', 'spm'],
    ['X-Mimecast-Spam-Score: 2', 'reported'],
    ['X-Mimecast-Impersonation-Protect: Policy=CEO;Similar Internal Domain=true;Action=Tag', 'spoof'],
    ['X-Mimecast-Impersonation-Protect: Policy=CEO;Similar Internal Domain=false', 'nothing'],
    ['X-Mimecast-Impersonation-Protect: Policy=Tag;Internal User Name=false;External=true', 'nothing'],
    ['X-Mimecast-Impersonation-Protect: Similar Monitored External Domain=true;External=true', 'spoof'],
    ['X-Spamd-Result: default: True [16.10 / 15.00]; R_SPF_ALLOW(-0.20)[+ip4]', 'spm'],
    ['X-Spamd-Result: default: False [1.00 / 15.00];', 'reported'],
    ['X-Rspamd-Action: add header', 'spm'],
    ['X-Rspamd-Action: no action', 'reported'],
    ['X-Amavis-Alert: INFECTED, message contains virus: Eicar-Signature', 'malw'],
    ['X-Virus-Status: Clean', 'reported'],
    ['Subject: X-Spam-Flag: YES', 'nothing'],
  ])('of "%s" is %s', async (line, code) => {
    expect(await addressOf(line)).toBe(code);
  });

  it('is the worst that any header names', async () => {
    expect(await addressOf('X-Forefront-Antispam-Report: SCL:1;CAT:NONE', 'X-Spam-Flag: YES')).toBe('spm');
    expect(await addressOf('X-Spam-Status: No', 'X-Spam-Status: Yes, score=9')).toBe('spm');
  });
});
