"""The MCP server: what coding agents talk to."""
