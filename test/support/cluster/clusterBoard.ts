/** A board whose owner and contents a test knows. */
import { partitionOf, type Instance, type TestCluster } from './cluster.js';
import type { TestUser } from '../http/users.js';
import { until } from '../until.js';

export interface ClusterBoard {
  readonly id: string;
  readonly columnId: string;
}

interface Titled {
  readonly title: string;
}

/** Creates boards until one is in a shard of this instance. */
export async function boardOwnedBy(cluster: TestCluster, owner: Instance, user: TestUser): Promise<ClusterBoard> {
  return until(async () => {
    const id = await create(owner, user, '/boards', 'Plans');
    const owns = (await cluster.overview(owner)).find(({ pid }) => pid === owner.pid)?.owns ?? [];
    return owns.includes(partitionOf(id)) && withColumn(owner, user, id);
  });
}

export async function newBoard(through: Instance, user: TestUser): Promise<ClusterBoard> {
  return withColumn(through, user, await create(through, user, '/boards', 'Plans'));
}

async function withColumn(through: Instance, user: TestUser, id: string): Promise<ClusterBoard> {
  return { id, columnId: await create(through, user, `/boards/${id}/columns`, 'To do') };
}

/** The id. Tried again while partitions move. */
async function create({ api }: Instance, { token }: TestUser, path: string, title: string): Promise<string> {
  return until(async () => {
    const { status, body } = await api.request<{ id: string }>('POST', path, { token, json: { title } });
    if (status !== 201 && status !== 503) throw new Error(`POST ${path} answered ${status}: ${JSON.stringify(body)}`);
    return status === 201 && body.id;
  });
}

/** The answer's status. */
export async function addCard({ api }: Instance, { token }: TestUser, { id, columnId }: ClusterBoard, title: string): Promise<number> {
  const json = { title };
  return (await api.request('POST', `/boards/${id}/columns/${columnId}/cards`, { token, json })).status;
}

export async function readBoard({ api }: Instance, { token }: TestUser, { id }: ClusterBoard): Promise<unknown> {
  const { status, body } = await api.request('GET', `/boards/${id}`, { token });
  if (status !== 200) throw new Error(`the board answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** In the order of the board. */
export async function titlesOn(through: Instance, user: TestUser, board: ClusterBoard): Promise<string[]> {
  const { columns } = (await readBoard(through, user, board)) as { columns: Array<{ cards: Titled[] }> };
  return columns.flatMap(({ cards }) => cards.map(({ title }) => title));
}
