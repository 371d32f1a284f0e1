export function AdminScreen() {
  return <main class="page"><h1>Admin</h1></main>;
}
