import { run } from '@lettergate/service'
import { loadConfig } from './config.ts'
import { start } from './service.ts'

await run('campaigns-delivery', start, loadConfig)
