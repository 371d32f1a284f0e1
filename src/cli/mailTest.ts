/** `mail test`: whether the service can send mail. */
import { EX_CONFIG } from '../settings/config.js';
import { optionalMailAddress } from '../settings/settingFormats.js';
import { command } from './command.js';
import { CommandFailure, EX_FAILURE, EX_OK, UsageError } from './outcome.js';
import { requireConfig } from './requireConfig.js';
import { printable } from './table.js';

const WITHOUT_SERVER =
  'SMTP_URL is not set, so the service sends no mail. An example: SMTP_URL=smtp://user:password@mail.example.org:587, and PUBLIC_URL.';

export const mailTest = command({
  words: 'mail test',
  operand: 'address',
  summary: 'Send a mail to an address through the mail server of the settings.',
  description:
    'Needs no running service. Says what the mail server answered; whether the mail arrives is to be seen at the address.\n' +
    'Settings: SMTP_URL, PUBLIC_URL, MAIL_FROM.',
  options: {},
  async run({ operand }, { stdout }) {
    const to = optionalMailAddress().parse(operand)?.address;
    if (to === undefined) throw new UsageError(`"${printable(operand)}" is no e-mail address.`);
    const { mailServerOf } = await import('../mail/openMail.js');
    const used = mailServerOf(requireConfig());
    if (used === null) throw new CommandFailure(EX_CONFIG, WITHOUT_SERVER);
    const { server, sender } = used;
    const { composeTestMail } = await import('../mail/mailMessage.js');
    const { Smtp } = await import('../mail/smtp.js');
    const smtp = new Smtp({ server });
    const name = `${server.host}:${server.port}`;
    try {
      await smtp.send(composeTestMail(to, sender));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CommandFailure(EX_FAILURE, `The mail server ${name} did not take the mail: ${printable(reason)}`, { cause: error });
    } finally {
      smtp.hangUp();
    }
    stdout.write(`The mail server ${name} has taken a mail from ${sender.from.address} to ${to}. See whether it arrives.\n`);
    return EX_OK;
  },
});
