import { useAutomations } from './use-lists.ts'
import { PageLink } from '../parts/link.tsx'

/** An automation by its name. */
export function AutomationLink({ id }: { id: string }) {
  const found = useAutomations().data?.automations.find((one) => one.id === id)
  return <PageLink to={`/automations/${id}`}>{found?.name ?? 'An automation'}</PageLink>
}
