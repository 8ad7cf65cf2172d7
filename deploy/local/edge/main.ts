import { announce } from '../announce.ts'
import { answerHealth } from '../health.ts'
import { listen } from '../listen.ts'
import { loadConfig } from './config.ts'
import { startEdge } from './edge.ts'

const { healthPort, ...config } = loadConfig()
const edge = await startEdge(config)
const answer = answerHealth('edge')
const health = await listen((req, res) => {
  if (!answer(req, res)) res.writeHead(404).end()
}, healthPort)
announce('edge', { url: edge.url, health: health.url }, [health, edge])
