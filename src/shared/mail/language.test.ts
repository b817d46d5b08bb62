import { expect, it } from 'vitest';
import { languageOf } from './language.ts';

it.each([
  ['en', 'Your account will be closed and we have sent you the details of this decision.'],
  [
    'de',
    'Sehr geehrte Kundin, Ihre Rechnung ist nicht bezahlt und wir bitten Sie, die Zahlung mit dem Formular für Kunden auszuführen.',
  ],
  [
    'fr',
    'Votre colis est en attente pour une livraison; vous devez payer les frais dans les deux jours avec votre carte.',
  ],
  [
    'es',
    'Su cuenta ha sido bloqueada por seguridad; para activarla usted debe confirmar los datos con el enlace del banco.',
  ],
  [
    'pt',
    'Você não pagou uma fatura; para regularizar os seus dados em nosso sistema clique no link do banco e da loja.',
  ],
  [
    'it',
    'Il pacco non è stato consegnato; per una nuova consegna sono richiesti i dati della carta che si usa con il sito.',
  ],
  [
    'nl',
    'Het pakket is niet bezorgd; voor een nieuwe bezorging van uw zending vragen wij u de kosten met iDEAL te betalen.',
  ],
  [
    'pl',
    'Proszę o potwierdzenie danych, nie jest to możliwe przez telefon; dla pewności są one wysłane do Państwa w mailu z linkiem.',
  ],
  [
    'tr',
    'Bu hesap için yeni bir şifre gerekli; sizin bilgileriniz ile giriş çok daha güvenli olarak yapılır ve korunur.',
  ],
  [
    'sv',
    'Det är viktigt att du bekräftar uppgifterna; vi har inte fått betalning för paketet och det returneras med posten på fredag.',
  ],
  ['ru', 'Ваш счёт заблокирован, подтвердите данные.'],
  ['uk', 'Ваш рахунок заблоковано, підтвердьте дані.'],
  ['ja', 'お客様のアカウントが一時的に停止されました。'],
  ['zh', '您的帐户已被暂停，请立即确认您的信息。'],
  ['ko', '귀하의 계정이 일시적으로 정지되었습니다.'],
  ['ar', 'تم تعليق حسابك، يرجى تأكيد بياناتك الآن'],
  [null, 'Invoice 4711, 12.50 EUR'],
  [null, 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed eiusmod tempor'],
  [null, ''],
])('%s', (language, text) => {
  expect(languageOf(text)).toBe(language);
});
