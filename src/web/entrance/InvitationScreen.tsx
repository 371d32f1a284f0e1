import { Entrance } from './Entrance.js';

export function InvitationScreen() {
  return <Entrance title="Invitation"><p>…</p></Entrance>;
}
