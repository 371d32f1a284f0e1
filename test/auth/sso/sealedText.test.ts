import t from 'tap';
import { SealedTexts } from '../../../src/auth/sso/sealedText.js';

t.test('SSO4 what a browser keeps for us it can neither read nor change, nor use for something else', async (t) => {
  const sealed = new SealedTexts('a secret', 'one purpose');
  const text = sealed.seal('{"state":"ä"}');
  t.equal(sealed.open(text), '{"state":"ä"}');
  t.match(text, /^[\w-]+$/, 'a value of a cookie');
  t.not(sealed.seal('{"state":"ä"}'), text, 'sealed anew each time');
  t.notMatch(Buffer.from(text, 'base64url').toString('latin1'), /state/);
  t.equal(new SealedTexts('a secret', 'another purpose').open(text), null);
  t.equal(new SealedTexts('another secret', 'one purpose').open(text), null);
  const bytes = Buffer.from(text, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    t.equal(sealed.open(changed.toString('base64url')), null, `byte ${at}`);
  }
  for (const other of ['', 'x', text.slice(0, -4), `${text}AAAA`, `${text}=`, ` ${text}`]) t.equal(sealed.open(other), null, JSON.stringify(other));
});
