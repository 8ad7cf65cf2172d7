import { announce } from '../announce.ts'
import { loadConfig } from './config.ts'
import { startTraces } from './traces.ts'

const traces = await startTraces(loadConfig())
announce('traces', { url: traces.url }, [traces])
