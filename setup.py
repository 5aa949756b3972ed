import os; os.system("touch /tmp/st/RAN")
