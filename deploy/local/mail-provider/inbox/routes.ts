import type { Express } from 'express'
import type { Mailbox } from '../mailbox.ts'

export function inboxRoutes(_app: Express, _mailbox: Mailbox) {}
