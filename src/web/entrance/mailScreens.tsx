import { Entrance } from './Entrance.js';

export function ForgotPasswordScreen() {
  return <Entrance title="Forgotten password"><p>…</p></Entrance>;
}

export function ResetPasswordScreen() {
  return <Entrance title="New password"><p>…</p></Entrance>;
}

export function VerifyEmailScreen() {
  return <Entrance title="Confirm the address"><p>…</p></Entrance>;
}
