export function AccountScreen() {
  return <main class="page"><h1>Account</h1></main>;
}
