"""The door for agents: tools by the Model Context Protocol (MCP), and `/agents.md`."""
