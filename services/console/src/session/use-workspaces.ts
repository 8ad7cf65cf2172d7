import { api } from './clients.ts'
import { useAnswer } from './use-answer.ts'

/** The workspaces of the user, with the role in each and whether it can send. */
export const useWorkspaces = () =>
  useAnswer(['workspaces'], (options) => api.listWorkspaces({}, options), { everyMs: 15_000 })
